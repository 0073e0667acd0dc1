/** The cities of the demo: where they are, by which clock they live, and where the audience of their streets has its home. */

/** Where people live who pass an advertising face, and the part of its audience (relative to its list) that they make. */
export type Home = readonly [country: string, region: string, city: string, weight: number]

export interface City {
  name: string
  country: string
  region: string
  zone: string
  /** Empty where nobody tells where the audience lives. */
  homes: readonly Home[]
}

const homes = (table: string): Home[] =>
  table.split(', ').map(entry => {
    const [, region, city, weight] = /^(\S+) (.+) (\d+)$/.exec(entry) as unknown as [string, string, string, string]
    return [region.slice(0, 2), region, city, Number(weight)]
  })

const city = (name: string, region: string, zone: string, table?: string): City => ({
  name,
  country: region.slice(0, 2),
  region,
  zone,
  homes: table ? homes(table) : [],
})

export const CITIES = {
  berlin: city(
    'Berlin',
    'DE-BE',
    'Europe/Berlin',
    'DE-BE Berlin 70, DE-BB Potsdam 8, DE-BB Oranienburg 4, DE-HH Hamburg 4, DE-SN Leipzig 4, PL-14 Warszawa 3, DK-84 København 2',
  ),
  hamburg: city(
    'Hamburg',
    'DE-HH',
    'Europe/Berlin',
    'DE-HH Hamburg 72, DE-SH Norderstedt 7, DE-SH Lübeck 5, DE-NI Lüneburg 4, DE-HB Bremen 4, DE-BE Berlin 5, DK-84 København 2',
  ),
  cologne: city(
    'Köln',
    'DE-NW',
    'Europe/Berlin',
    'DE-NW Köln 66, DE-NW Bonn 9, DE-NW Leverkusen 8, DE-NW Düsseldorf 8, DE-NW Aachen 4, NL-LI Maastricht 2, BE-WLG Liège 2',
  ),
  london: city(
    'London',
    'GB-LND',
    'Europe/London',
    'GB-LND London 70, GB-CRY Croydon 7, GB-HRT Watford 6, GB-RDG Reading 5, GB-BNH Brighton 4, FR-75C Paris 3, IE-D Dublin 2',
  ),
  newYork: city(
    'New York',
    'US-NY',
    'America/New_York',
    'US-NY New York 62, US-NJ Jersey City 11, US-NJ Newark 7, US-NY Yonkers 6, US-PA Philadelphia 5, US-CT Stamford 4, CA-ON Toronto 2',
  ),
  chicago: city(
    'Chicago',
    'US-IL',
    'America/Chicago',
    'US-IL Chicago 70, US-IL Evanston 8, US-IL Naperville 8, US-IN Gary 5, US-WI Milwaukee 5, US-IN Indianapolis 3',
  ),
  saoPaulo: city(
    'São Paulo',
    'BR-SP',
    'America/Sao_Paulo',
    'BR-SP São Paulo 72, BR-SP Guarulhos 9, BR-SP Osasco 6, BR-SP Santo André 6, BR-SP Campinas 4, BR-RJ Rio de Janeiro 3',
  ),
  sydney: city(
    'Sydney',
    'AU-NSW',
    'Australia/Sydney',
    'AU-NSW Sydney 74, AU-NSW Parramatta 11, AU-NSW Wollongong 4, AU-NSW Newcastle 4, AU-VIC Melbourne 3, NZ-AUK Auckland 2',
  ),
  melbourne: city(
    'Melbourne',
    'AU-VIC',
    'Australia/Melbourne',
    'AU-VIC Melbourne 78, AU-VIC Geelong 8, AU-VIC Ballarat 4, AU-NSW Sydney 5, AU-SA Adelaide 3, AU-TAS Hobart 2',
  ),
  lordHowe: city(
    'Lord Howe Island',
    'AU-NSW',
    'Australia/Lord_Howe',
    'AU-NSW Lord Howe Island 44, AU-NSW Sydney 30, AU-NSW Port Macquarie 12, AU-QLD Brisbane 9, AU-VIC Melbourne 5',
  ),
  kathmandu: city('Kathmandu', 'NP-P3', 'Asia/Kathmandu'),
} satisfies Record<string, City>
