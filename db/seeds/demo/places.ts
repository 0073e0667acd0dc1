/**
 * The companies of the demo, their cities and assets. A city has a name, region, time zone, latitude and longitude, and the
 * homes of its audience with weights. An asset has a name, a kind (assets.ts), sensors (sensors.ts), and perhaps a status.
 */
export const PLACES = `
# Nordlicht Außenwerbung
Berlin, DE-BE, Europe/Berlin, 52.51, 13.4 | DE-BE Berlin 70, DE-BB Potsdam 9, DE-HH Hamburg 5, DE-SN Leipzig 4, PL-14 Warszawa 3
Warschauer Brücke West: night m; Alexanderplatz Tram: shelter m; Hauptbahnhof Ebene 1: station m m
Stadtring Tempelhof: billboard m q; Kurfürstendamm Ecke Joachimsthaler: spectacular m; Südkreuz Vorplatz: other
Mall am Gesundbrunnen: mall m; Kottbusser Tor Nord: night m m>; Hermannplatz Süd: street q
Adlershof Campus Forum: office q; Späti Oranienstraße: window h
Hamburg, DE-HH, Europe/Berlin, 53.56, 10 | DE-HH Hamburg 72, DE-SH Norderstedt 8, DE-SH Lübeck 6, DE-HB Bremen 5, DK-84 København 2
Mönckebergstraße Mitte: street m; Reeperbahn Spielbudenplatz: spectacular m; Altona Busbahnhof: shelter q
Elbtunnel Zufahrt Süd: billboard h; HafenCity Überseeallee: window q!
Köln, DE-NW, Europe/Berlin, 50.94, 6.95 | DE-NW Köln 66, DE-NW Bonn 9, DE-NW Düsseldorf 8, NL-LI Maastricht 2, BE-WLG Liège 2
Domplatte Ausgang: station m q; Schildergasse Ost: street m; Zülpicher Platz: night q
Rheinpark Messe: billboard h inactive
London, GB-LND, Europe/London, 51.52, -0.13 | GB-LND London 70, GB-CRY Croydon 7, GB-RDG Reading 5, GB-BNH Brighton 4, FR-75C Paris 3
Oxford Street Centre: spectacular m; King's Cross Concourse: station m; Shoreditch High Street: shelter m!
Canary Wharf Lobby 3: office q; A40 Westway Arch 9: billboard q; Camden Lock Market: street h
Kathmandu, NP-P3, Asia/Kathmandu, 27.71, 85.32 | 
Durbar Marg Corner: billboard h; Thamel Gate: night q
# Harborline Outdoor
New York, US-NY, America/New_York, 40.74, -73.98 | US-NY New York 62, US-NJ Jersey City 11, US-NJ Newark 7, US-NY Yonkers 6, CA-ON Toronto 2
Times Square North: spectacular m m; Penn Station 34th Street: station m; Union Square East: street m
Bedford Avenue L: night m q; BQE Williamsburg: billboard q; Hudson Yards Level 2: mall m; Wall Street Gym: office m+
JFK Terminal 4 Departures: airport q; Astoria Blvd Shelter: shelter h; Flatiron Pharmacy Window: window q
Canal Street Wallscape: other
Chicago, US-IL, America/Chicago, 41.89, -87.65 | US-IL Chicago 70, US-IL Evanston 9, US-IL Naperville 8, US-IN Gary 5, US-WI Milwaukee 5
Michigan Avenue at Ohio: street m; Kennedy Expressway 47: billboard h; Union Station Great Hall: station q
Wicker Park Six Corners: night m; River North Tower Elevator: office q; Navy Pier Entrance: street h archived
São Paulo, BR-SP, America/Sao_Paulo, -23.56, -46.66 | BR-SP São Paulo 72, BR-SP Guarulhos 9, BR-SP Osasco 6, BR-SP Campinas 4, BR-RJ Rio de Janeiro 3
Avenida Paulista 1578: shelter m; Estação da Luz: station q q; Marginal Pinheiros Km 12: billboard h?
Shopping Vila Olímpia: mall q; Vila Madalena Esquina: night m; Guarulhos Embarque: airport q
# Southern Cross Panels
Sydney, AU-NSW, Australia/Sydney, -33.89, 151.2 | AU-NSW Sydney 74, AU-NSW Parramatta 11, AU-NSW Wollongong 4, AU-VIC Melbourne 3, NZ-AUK Auckland 2
Circular Quay Wharf 4: station m; Pitt Street Mall: spectacular m; Newtown King Street: night m
Anzac Bridge Inbound: billboard h; Barangaroo Tower 2 Lobby: office m; Bondi Beach Promenade: street q
Sydney Airport T1 Arrivals: airport q m?; Surry Hills Bakery: window m+
Melbourne, AU-VIC, Australia/Melbourne, -37.82, 144.97 | AU-VIC Melbourne 78, AU-VIC Geelong 8, AU-VIC Ballarat 4, AU-NSW Sydney 5, AU-TAS Hobart 2
Flinders Street Steps: station m; Bourke Street Mall: street m; Chadstone Level 1: mall m
Monash Freeway Toorak: billboard h; Brunswick Street Fitzroy: night q; Southbank Promenade: other
Lord Howe Island, AU-NSW, Australia/Lord_Howe, -31.55, 159.08 | AU-NSW Lord Howe Island 44, AU-NSW Sydney 30, AU-QLD Brisbane 9, AU-VIC Melbourne 5
Lagoon Road Jetty: window m; Lord Howe Museum: office h
`
