/**
 * The name of a sensor's vendor stands beside it, held to the vendor's own by a foreign key, so that a page of sensors is
 * read from one table. Whether the vendor is our own, its native minutes tell.
 */
export const up = `
ALTER TABLE vendors ADD UNIQUE (number, name);
CREATE FUNCTION tell_vendor_name() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  NEW.vendor_name = (SELECT name FROM vendors WHERE number = NEW.vendor);
  RETURN NEW;
END $$;
CREATE TRIGGER tell_vendor_name BEFORE INSERT OR UPDATE OF vendor ON sensors
  FOR EACH ROW EXECUTE FUNCTION tell_vendor_name();
ALTER TABLE sensors ADD COLUMN vendor_name text COLLATE "C",
  ADD FOREIGN KEY (vendor, vendor_name) REFERENCES vendors (number, name) ON UPDATE CASCADE;
UPDATE sensors SET vendor = vendor;
ALTER TABLE sensors ALTER COLUMN vendor_name SET NOT NULL;
`
