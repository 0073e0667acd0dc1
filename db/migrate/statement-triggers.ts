/** SQL of triggers that run once per statement, with the rows as they were (`before`) and as they are (`after`). */
const TRANSITION_TABLES = {
  INSERT: 'NEW TABLE AS after',
  UPDATE: 'OLD TABLE AS before NEW TABLE AS after',
  DELETE: 'OLD TABLE AS before',
}

/** Returns a trigger for each event on a table. All call one function, which distinguishes them by TG_OP. */
export const statementTriggers = (table: string, triggerFunction: string, argument = ''): string =>
  Object.entries(TRANSITION_TABLES)
    .map(
      ([event, tables]) => `
CREATE TRIGGER ${triggerFunction}_on_${event.toLowerCase()} AFTER ${event} ON ${table} REFERENCING ${tables}
  FOR EACH STATEMENT EXECUTE FUNCTION ${triggerFunction}(${argument});`,
    )
    .join('')

/** PL/pgSQL that ends such a function where no row has changed: INSERT … ON CONFLICT fires the triggers of two events. */
export const RETURN_WITHOUT_ROWS = `IF TG_OP = 'INSERT' THEN
    IF NOT EXISTS (SELECT FROM after) THEN RETURN NULL; END IF;
  ELSIF TG_OP <> 'TRUNCATE' THEN
    IF NOT EXISTS (SELECT FROM before) THEN RETURN NULL; END IF;
  END IF;`
