/**
 * Which companies a key carries stands in its row alone. Told twice, in a table besides, two who wrote at once or a
 * TRUNCATE could leave a key a company that was taken away. A company that does not exist is refused: its number would
 * one day be another's.
 */
export const up = `
LOCK TABLE api_key_companies IN ACCESS EXCLUSIVE MODE;
UPDATE api_keys AS k
  SET companies = ARRAY(SELECT company FROM api_key_companies WHERE api_key = k.id ORDER BY company);
DROP TABLE api_key_companies;
DROP FUNCTION keep_companies_after(), keep_companies_before(), keep_companies_changed();

CREATE FUNCTION refuse_unknown_companies() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  unknown integer[] = ARRAY(SELECT unnest(NEW.companies) EXCEPT SELECT number FROM companies);
BEGIN
  IF unknown <> '{}' THEN
    RAISE foreign_key_violation USING MESSAGE = format('there is no company with the number %s', unknown[1]);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER refuse_unknown_companies BEFORE INSERT OR UPDATE OF companies ON api_keys
  FOR EACH ROW EXECUTE FUNCTION refuse_unknown_companies();
`
