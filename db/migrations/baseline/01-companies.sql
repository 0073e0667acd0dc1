-- The files are run in the order of their names: records in 01 to 04, counts in 05 to 09, what triggers and commits
-- write in 11 to 14. A text in double angle brackets is repeated for each value of a list in 1000_database.ts, with
-- commas between if it begins without +: DAY, 1 to 31, GROUP, a column of demographics, ASSET_COLUMN and SENSOR_COLUMN,
-- a column that the API shows of a record (sensor_ids and sensor_minutes, too, not rules or installations).

-- Companies, the tenants, vendors, the makers of sensors, and API keys.

CREATE TABLE companies (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  final_through date,
  closings date[] NOT NULL DEFAULT '{}',
  UNIQUE (number, id)
);
COMMENT ON COLUMN companies.number IS
  'Four bytes by which other tables refer to a company. Callers see the id instead; the same holds for vendors, assets '
  'and sensors.';
COMMENT ON COLUMN companies.final_through IS
  'The last day of the last month that an operator has closed; null without one. Changes of totals up to then are '
  'refused, unless they are asked for.';
COMMENT ON COLUMN companies.closings IS
  'final_through after each close, in order. To undo the last close is to take it off: the one before is in force.';

CREATE TABLE vendors (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
  own boolean NOT NULL,
  native_minutes smallint NOT NULL CHECK (native_minutes IN (1, 15, 60, 1440)),
  UNIQUE (number, name),
  UNIQUE (number, native_minutes),
  CONSTRAINT own_vendor_counts_minutes CHECK (own = (native_minutes = 1))
);
COMMENT ON TABLE vendors IS 'The makers of sensors. They belong to no company.';
COMMENT ON COLUMN vendors.own IS 'Whether this is the operator of the service. Only its sensors count minutes.';
COMMENT ON COLUMN vendors.native_minutes IS
  'Length of the intervals that its sensors count: a minute, a quarter hour, an hour or a day.';

-- API keys, how they are authenticated, and the companies that they may read. authenticate_key and companies_in_scope
-- compare the expiry with the start of the transaction, so that they agree on it for the whole batch of a request.

CREATE TABLE api_keys (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  hash bytea NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
  environment text NOT NULL CHECK (environment IN ('dev', 'production')),
  label text CHECK (char_length(label) BETWEEN 1 AND 200),
  scopes text[] NOT NULL CHECK (scopes <@ ARRAY['partner:metrics:legacy:read', 'internal:graphql:read']),
  reseller boolean NOT NULL DEFAULT false,
  all_companies boolean NOT NULL DEFAULT false,
  companies integer[] NOT NULL DEFAULT '{}',
  rate_requests integer CHECK (rate_requests > 0),
  rate_seconds integer CHECK (rate_seconds > 0),
  claims json NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  expires_at timestamptz(3),
  deactivated_at timestamptz(3),
  last_used_on date,
  replaces text COLLATE "C" UNIQUE REFERENCES api_keys (id),
  CONSTRAINT all_companies_for_analysts_only CHECK (NOT all_companies OR scopes @> ARRAY['internal:graphql:read']),
  CHECK ((rate_requests IS NULL) = (rate_seconds IS NULL))
);
COMMENT ON TABLE api_keys IS 'API keys. The text of a key is never stored.';
COMMENT ON COLUMN api_keys.hash IS 'SHA-256 of the whole key.';
COMMENT ON COLUMN api_keys.all_companies IS
  'Reads every company, those that are added later too. companies is ignored.';
COMMENT ON COLUMN api_keys.companies IS
  'Numbers of the companies that it reads. In the row, so that authenticating reads one row.';
COMMENT ON COLUMN api_keys.rate_requests IS 'A rate limit of its own: requests per rate_seconds. Null: the usual one.';
COMMENT ON COLUMN api_keys.claims IS
  'What authenticate_key returns: {id, label, scopes, reseller, all_companies, rate, expires_at}. Set by trigger, '
  'since building it is most of the work.';
COMMENT ON COLUMN api_keys.last_used_on IS
  'The last day (UTC) of a request with it while it was valid. Written once a day.';
COMMENT ON COLUMN api_keys.replaces IS 'The key from which this one took over when that was rotated.';

-- The text of a hash in hex needs no conversion that could fail, and is found faster than one that is converted.
CREATE UNIQUE INDEX api_keys_hash_in_hex ON api_keys (encode(hash, 'hex') COLLATE "C");

CREATE FUNCTION claims_of(key api_keys) RETURNS json LANGUAGE sql STABLE AS $$
  SELECT json_build_object('id', key.id, 'label', key.label, 'scopes', key.scopes, 'reseller', key.reseller,
    'all_companies', key.all_companies, 'rate', CASE WHEN key.rate_requests IS NOT NULL
      THEN json_build_object('requests', key.rate_requests, 'seconds', key.rate_seconds) END,
    'expires_at', (to_json(key.expires_at AT TIME ZONE 'UTC') #>> '{}') || 'Z')
$$;

CREATE FUNCTION set_claims() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  unknown integer[];
BEGIN
  -- A number that is not in use could be given to another company later.
  IF TG_OP = 'INSERT' OR NEW.companies IS DISTINCT FROM OLD.companies THEN
    unknown = ARRAY(SELECT unnest(NEW.companies) EXCEPT SELECT number FROM companies);
    IF unknown <> '{}' THEN
      RAISE foreign_key_violation USING MESSAGE = format('there is no company with the number %s', unknown[1]);
    END IF;
  END IF;
  NEW.claims = claims_of(NEW);
  RETURN NEW;
END $$;
CREATE TRIGGER set_claims BEFORE INSERT OR UPDATE ON api_keys FOR EACH ROW EXECUTE FUNCTION set_claims();

-- These two are plpgsql, which caches the plans of its statements. Neither raises an error, whatever it is given.
CREATE FUNCTION authenticate_key(key_hash bytea) RETURNS json
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  claims json;
  has_all boolean;
  numbers integer[];
  setting text;
BEGIN
  SELECT k.claims, k.all_companies, k.companies INTO claims, has_all, numbers
    FROM public.api_keys k WHERE k.hash = key_hash AND k.deactivated_at IS NULL AND
      (k.expires_at IS NULL OR k.expires_at > now());
  IF has_all THEN numbers := ARRAY(SELECT c.number FROM public.companies c); END IF;
  -- A value that is no hash may be too long to be encoded: null, which sets an empty text, so that no hash stays.
  setting := set_config('partner_metrics.key_hash', CASE octet_length(key_hash) WHEN 32 THEN encode(key_hash,
    'hex') END, true);
  setting := set_config('partner_metrics.companies', coalesce(numbers::text, ''), true);
  RETURN claims;
END $$;
COMMENT ON FUNCTION authenticate_key IS
  'The claims of an active key, as json, which takes less time to return than a row; null for any other. Stores the '
  'hash of the key, for row-level security, and its companies, for the scope predicates of statements, in the settings '
  'of the transaction.';
REVOKE ALL ON FUNCTION authenticate_key FROM PUBLIC;

CREATE FUNCTION companies_in_scope() RETURNS integer[]
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  -- Any login can set this to any text, which is compared and never converted.
  hex text = current_setting('partner_metrics.key_hash', true);
  has_all boolean;
  numbers integer[];
BEGIN
  SELECT k.all_companies, k.companies INTO has_all, numbers
    FROM public.api_keys k WHERE encode(k.hash,
      'hex') = hex COLLATE "C" AND k.deactivated_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now());
  IF has_all THEN RETURN ARRAY(SELECT c.number FROM public.companies c); END IF;
  RETURN numbers;
END $$;
COMMENT ON FUNCTION companies_in_scope() IS
  'Numbers of the companies of the key whose hash is set in the transaction; null without an active key.';
REVOKE ALL ON FUNCTION companies_in_scope() FROM PUBLIC;
