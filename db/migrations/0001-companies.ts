/** Companies, the tenants. `number` is the short form by which facts refer to a company; `id` is what callers see. */
export const up = `
CREATE TABLE companies (
  id text COLLATE "C" PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9]{7,31}$'),
  number integer GENERATED ALWAYS AS IDENTITY UNIQUE,
  name text COLLATE "C" NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200)
);
`
