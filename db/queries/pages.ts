/**
 * Which rows a page of a list has. They are looked for company by company, in an index that begins with it, so that a page
 * takes as long whatever others have, and no row of theirs is passed over. The order begins with the company, as it does in
 * no other index; were the company said to be equal to one, PostgreSQL would take it out of the order.
 */
import { COMPANY_SCOPE } from '../postgres/scoped-reader'

/** The ids of a page: an array. In order, from the one behind the text parameter `after` on, no more than `limit`. */
export const idsOfPage = (table: 'assets' | 'sensors', after: string, limit: string): string => `ARRAY(
  SELECT page.id FROM unnest(${COMPANY_SCOPE}) AS scope (company) CROSS JOIN LATERAL (
    SELECT id FROM ${table} WHERE company >= scope.company AND company <= scope.company AND id > ${after}
    ORDER BY company, id LIMIT ${limit}
  ) AS page
  ORDER BY page.id LIMIT ${limit}
)`
