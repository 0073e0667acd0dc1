/** The faces of the demo's first company, in Germany, London and Kathmandu. faces.ts tells what the columns are. */
export const NORDLICHT = `
legacy|name|city|format|media|indoors|venue|facing|size|position|address|postal|shape|daily|sensors|status
9100101|Warschauer Brücke West|berlin|urban_panel|digital|no|302|270|1.2x2.1|52.50583,13.44921|Warschauer Straße 58|10243|nightlife|21000|m|
9100102|Alexanderplatz Tram|berlin|bus_shelter|digital|no|303|180|1.2x1.8|52.52190,13.41320|Alexanderplatz 7|10178|high_street|38000|m|
9100103|Hauptbahnhof Ebene 1|berlin|transit|digital|yes|10602||2.0x1.1|52.52508,13.36940|Europaplatz 1|10557|station|64000|m m|
9100104|Stadtring Tempelhof|berlin|billboard|digital|no|30102|95|9.0x3.0|52.46610,13.38580|Tempelhofer Damm 2|12101|roadside|82000|m q|
9100105|Kurfürstendamm Ecke Joachimsthaler|berlin|spectacular|digital|no|30103|310|12.0x7.0|52.50362,13.33162|Kurfürstendamm 227|10719|high_street|96000|m|
9100106|Mall am Gesundbrunnen|berlin|place_based|digital|yes|20501||1.1x1.9|52.54840,13.38860|Badstraße 4|13357|mall|17500|m|
9100107|Kottbusser Tor Nord|berlin|street_furniture|digital|no|302|20|0.9x1.6|52.49951,13.41805|Adalbertstraße 98|10999|nightlife|15200|m rover1|
9100108|Hermannplatz Süd|berlin|street_furniture|digital|no|302|160|0.9x1.6|52.48665,13.42432|Hermannplatz 1|12049|high_street|18400|q rover2|
|Adlershof Campus Forum|berlin|place_based|digital|yes|60102||1.0x1.8|52.43110,13.53470|Rudower Chaussee 17|12489|office|2600|q|
9100110|Späti Oranienstraße|berlin|window_panel|static|no||45|0.6x0.8|52.50155,13.41990|Oranienstraße 171|10999|nightlife|42|h|
9100111|Südkreuz Vorplatz|berlin|other|static|no|302|230|1.8x1.2|52.47545,13.36520|Hildegard-Knef-Platz 1|10829|station|9000||
9100121|Mönckebergstraße Mitte|hamburg|urban_panel|digital|no|302|90|1.2x2.1|53.55070,10.00110|Mönckebergstraße 13|20095|high_street|33500|m|
9100122|Reeperbahn Spielbudenplatz|hamburg|spectacular|digital|no|30103|200|10.0x6.0|53.54930,9.96680|Spielbudenplatz 21|20359|nightlife|58000|m|
9100123|Altona Busbahnhof|hamburg|bus_shelter|static|no|303|300|1.2x1.8|53.55220,9.93520|Scheel-Plessen-Straße 17|22765|commuter|11800|q|
9100124|Elbtunnel Zufahrt Süd|hamburg|billboard|static|no|30102|5|9.0x3.0|53.52890,9.91450|Finkenwerder Straße 4|21129|roadside|61000|h|
9100125|HafenCity Überseeallee|hamburg|window_panel|digital|no|302|140|1.4x0.8|53.54150,9.99870|Überseeallee 10|20457|leisure|7400|q!|
9100131|Domplatte Ausgang|cologne|transit|digital|yes|10602||2.0x1.1|50.94290,6.95830|Trankgasse 11|50667|station|47000|m q|
9100132|Schildergasse Ost|cologne|urban_panel|digital|no|302|80|1.2x2.1|50.93640,6.95360|Schildergasse 65|50667|high_street|41000|m|
9100133|Zülpicher Platz|cologne|street_furniture|static|no|302|110|1.2x1.8|50.92980,6.93980|Zülpicher Straße 10|50674|nightlife|12700|exchanged|
9100134|Rheinpark Messe|cologne|billboard|static|no|30101|255|3.6x2.5|50.94880,6.97730|Messeplatz 1|50679|leisure|8800|h:suspended|inactive
9100141|Oxford Street Centre|london|spectacular|digital|no|30103|0|8.0x5.0|51.51520,-0.14190|214 Oxford Street|W1C 1DA|high_street|104000|m|
9100142|King's Cross Concourse|london|transit|digital|yes|106||2.4x1.4|51.53080,-0.12330|Euston Road|N1C 4AP|station|71000|m|
9100143|Shoreditch High Street|london|bus_shelter|digital|no|303|15|1.2x1.8|51.52460,-0.07730|196 Shoreditch High Street|E1 6LG|nightlife|19900|m!|
9100144|Canary Wharf Lobby 3|london|place_based|digital|yes|70102||1.1x1.9|51.50480,-0.01950|25 Bank Street|E14 5JP|office|8200|q|
9100145|A40 Westway Arch 9|london|billboard|digital|no|30102|275|12.0x3.0|51.52050,-0.19930|Westway 9|W10 6RP|roadside|88000|q|
|Camden Lock Market|london|street_furniture|static|no|302|190|1.0x1.5|51.54120,-0.14620|54 Camden Lock Place|NW1 8AF|leisure|16300|h|
9100151|Durbar Marg Corner|kathmandu|billboard|static|no|30101|120|6.1x3.0|27.71110,85.31760|Durbar Marg|44600|high_street|27500|h|
9100152|Thamel Gate|kathmandu|urban_panel|digital|no|302|60|1.2x2.1|27.71520,85.31080|Thamel Marg|44600|nightlife|14100|q|
`
