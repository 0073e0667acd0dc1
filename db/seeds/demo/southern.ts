/** The faces of the demo's third company, in Australia and on Lord Howe Island. faces.ts tells what the columns are. */
export const SOUTHERN = `
legacy|name|city|format|media|indoors|venue|facing|size|position|address|postal|shape|daily|sensors|status
9300101|Circular Quay Wharf 4|sydney|transit|digital|no|107|0|2.0x1.1|-33.86120,151.21080|Alfred Street|2000|station|45500|m|
9300102|Pitt Street Mall|sydney|spectacular|digital|no|30103|180|7.0x4.0|-33.87010,151.20850|Pitt Street 188|2000|high_street|62000|m|
9300103|Newtown King Street|sydney|bus_shelter|digital|no|303|60|1.2x1.8|-33.89740,151.17910|King Street 261|2042|nightlife|17300|m|
9300104|Anzac Bridge Inbound|sydney|billboard|digital|no|30102|90|12.6x3.4|-33.86890,151.18560|Victoria Road|2039|roadside|91000|h|
9300105|Barangaroo Tower 2 Lobby|sydney|place_based|digital|yes|70102||1.1x1.9|-33.86520,151.20140|200 Barangaroo Avenue|2000|office|6900|m|
9300106|Bondi Beach Promenade|sydney|street_furniture|static|no|302|110|1.0x1.5|-33.89090,151.27490|Queen Elizabeth Drive|2026|leisure|19800|q|
9300107|Sydney Airport T1 Arrivals|sydney|transit|digital|yes|10101||3.0x1.7|-33.93600,151.16560|Airport Drive|2020|airport|36500|q m:suspended|
|Surry Hills Bakery|sydney|window_panel|digital|no||300|0.8x0.5|-33.88450,151.21240|Crown Street 389|2010|leisure|3900|m:pending|
9300121|Flinders Street Steps|melbourne|urban_panel|digital|no|302|20|1.2x2.1|-37.81810,144.96690|Flinders Street 207|3000|station|52500|m|
9300122|Bourke Street Mall|melbourne|street_furniture|digital|no|302|0|1.2x1.8|-37.81360,144.96390|Bourke Street 300|3000|high_street|37000|m|
9300123|Chadstone Level 1|melbourne|place_based|digital|yes|20501||1.2x2.1|-37.88610,145.08300|Dandenong Road 1341|3148|mall|21400|m|
9300124|Monash Freeway Toorak|melbourne|billboard|static|no|30102|285|12.6x3.4|-37.85080,145.02380|Toorak Road 620|3146|roadside|79000|h|
9300125|Brunswick Street Fitzroy|melbourne|bus_shelter|static|no|303|165|1.2x1.8|-37.79880,144.97840|Brunswick Street 296|3065|nightlife|10900|q|
9300126|Southbank Promenade|melbourne|other|digital|no|302|340|2.0x3.0|-37.82050,144.96350|Southbank Promenade 3|3006|leisure|15500||
9300141|Lagoon Road Jetty|lordHowe|street_furniture|digital|no|302|250|0.9x1.6|-31.52680,159.06010|Lagoon Road|2898|leisure|640|m|
9300142|Lord Howe Museum|lordHowe|place_based|digital|yes|80102||0.9x0.5|-31.52920,159.06860|Middle Beach Road|2898|leisure|210|h|
`
