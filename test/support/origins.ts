/** SQL of the home cities of assets by day, a row for each. */
export const ORIGINS = `(SELECT asset, d.company, date, left(region, 2) AS country, region, city, p.impressions
  FROM origin_days d CROSS JOIN unnest(places, d.impressions) AS p (place, impressions) JOIN origin_places ON number = place)`
