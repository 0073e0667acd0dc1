/** The faces of the demo's second company, in the United States and Brazil. faces.ts tells what the columns are. */
export const HARBORLINE = `
legacy|name|city|format|media|indoors|venue|facing|size|position|address|postal|shape|daily|sensors|status
9200101|Times Square North|newYork|spectacular|digital|no|30103|190|18.0x11.0|40.75890,-73.98510|1600 Broadway|10019|leisure|286000|m m|
9200102|Penn Station 34th Street|newYork|transit|digital|yes|10602||2.4x1.4|40.75060,-73.99350|234 W 31st Street|10001|station|122000|m|
9200103|Union Square East|newYork|urban_panel|digital|no|302|270|1.2x2.1|40.73560,-73.98970|201 Park Avenue S|10003|high_street|44000|m|
9200104|Bedford Avenue L|newYork|street_furniture|digital|no|302|340|0.9x1.6|40.71770,-73.95680|218 Bedford Avenue|11249|nightlife|23800|m q|
9200105|BQE Williamsburg|newYork|billboard|digital|no|30102|40|14.6x4.3|40.71130,-73.95230|Meeker Avenue 88|11211|roadside|97000|q|
9200106|Hudson Yards Level 2|newYork|place_based|digital|yes|20501||1.2x2.1|40.75370,-74.00180|20 Hudson Yards|10001|mall|24500|m|
9200107|JFK Terminal 4 Departures|newYork|transit|digital|yes|10103||3.0x1.7|40.64410,-73.78240|JFK Airport Terminal 4|11430|airport|52000|q|
9200108|Astoria Blvd Shelter|newYork|bus_shelter|static|no|303|100|1.2x1.8|40.77020,-73.91790|Astoria Boulevard 30-98|11102|commuter|9700|h|
|Wall Street Gym|newYork|place_based|digital|yes|40101||0.6x1.0|40.70640,-74.00930|40 Wall Street|10005|office|1450|m:pending|
9200110|Flatiron Pharmacy Window|newYork|window_panel|digital|no|207|150|1.1x0.7|40.74090,-73.98960|175 Fifth Avenue|10010|high_street|12900|q|
9200111|Canal Street Wallscape|newYork|other|static|no|30101|60|7.0x12.0|40.71880,-74.00040|264 Canal Street|10013|high_street|30000||
9200121|Michigan Avenue at Ohio|chicago|urban_panel|digital|no|302|10|1.2x2.1|41.89250,-87.62440|600 N Michigan Avenue|60611|high_street|39500|m|
9200122|Kennedy Expressway 47|chicago|billboard|digital|no|30102|320|14.6x4.3|41.91780,-87.66520|1501 W Armitage Avenue|60642|roadside|93000|h|
9200123|Union Station Great Hall|chicago|transit|digital|yes|106||2.4x1.4|41.87870,-87.63970|225 S Canal Street|60606|station|38000|q|
9200124|Wicker Park Six Corners|chicago|bus_shelter|digital|no|303|220|1.2x1.8|41.91070,-87.67760|1600 N Milwaukee Avenue|60647|nightlife|16800|m|
9200125|River North Tower Elevator|chicago|place_based|digital|yes|70101||0.3x0.5|41.89140,-87.63390|350 N Orleans Street|60654|office|3100|q|
9200126|Navy Pier Entrance|chicago|street_furniture|static|no|302|265|1.2x1.8|41.89170,-87.60970|600 E Grand Avenue|60611|leisure|21600|h|archived
9200131|Avenida Paulista 1578|saoPaulo|street_furniture|digital|no|302|130|1.2x1.8|-23.56140,-46.65610|Avenida Paulista 1578|01310-200|commuter|48500|m|
9200132|Estação da Luz|saoPaulo|transit|digital|yes|10602||2.0x1.1|-23.53490,-46.63540|Praça da Luz 1|01120-010|station|66500|q q|
9200133|Marginal Pinheiros Km 12|saoPaulo|billboard|static|no|30102|205|12.0x4.0|-23.56710,-46.70120|Avenida das Nações Unidas 7221|05425-070|roadside|118000|h?|
9200134|Shopping Vila Olímpia|saoPaulo|place_based|digital|yes|20502||1.1x1.9|-23.59560,-46.68640|Rua Olimpíadas 360|04551-000|mall|13600|q|
9200135|Vila Madalena Esquina|saoPaulo|bus_shelter|static|no|303|75|1.2x1.8|-23.55470,-46.69050|Rua Aspicuelta 300|05433-010|nightlife|9800|m|
9200136|Guarulhos Embarque|saoPaulo|transit|digital|yes|10103||3.0x1.7|-23.42520,-46.48120|Rodovia Hélio Smidt|07190-100|airport|43000|q|
`
