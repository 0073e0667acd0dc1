/** Who still calls which legacy route: one row a day (UTC), key and route; and since when that is counted at all. */
export const up = `
CREATE TABLE legacy_calls (
  date date NOT NULL,
  api_key text COLLATE "C" NOT NULL REFERENCES api_keys (id),
  route text COLLATE "C" NOT NULL CHECK (char_length(route) BETWEEN 1 AND 200),
  calls bigint NOT NULL CHECK (calls > 0),
  last_called_at timestamptz(3) NOT NULL,
  PRIMARY KEY (date, api_key, route)
);
ALTER TABLE service ADD COLUMN legacy_counted_from timestamptz(3) NOT NULL DEFAULT now();
`
