/* Made by `npm run generate` from the .graphql files. Not edited by hand. */
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type ResolverFn<TResult, TParent, TContext, TArgs> = (parent: TParent, args: TArgs, context: TContext) => Promise<TResult> | TResult
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A calendar day, `YYYY-MM-DD`. */
  Date: { input: string; output: string; }
  /** An instant, as RFC 3339. */
  DateTime: { input: string; output: string; }
  /** A whole number that may exceed 32 bits, never negative. */
  Count: { input: number; output: number; }
  /** A whole number that may exceed 32 bits. */
  Int64: { input: number; output: number; }
  /** An age band: 12-17, 18-24, 25-34, 35-44, 45-54, 55-64, 65+ or unknown. */
  AgeBand: { input: string; output: string; }
};

/** The impressions of all assets that a filter leaves, on the days of a range, each asset's in its own time zone. */
export type GroupImpressions = {
  /** The sum, 0 without data. */
  total: Scalars['Count']['output'];
  /** How many assets have data. */
  assetCount: Scalars['Int']['output'];
  /** How many days have data. */
  daysWithData: Scalars['Int']['output'];
  /** By days, weeks, months or quarters, cut at the ends of the range; null where no asset has data. */
  series: Array<GroupBucket>;
  /** By company, most impressions first. */
  byCompany: Array<GroupCompany>;
  /** By the region in which the assets stand, most impressions first. */
  byRegion: Array<GroupRegion>;
  /** The assets with most impressions, 1 to 500. */
  top: Array<GroupAsset>;
  /** Beside another range of days. */
  compare: Comparison;
};


/** The impressions of all assets that a filter leaves, on the days of a range, each asset's in its own time zone. */
export type GroupImpressionsSeriesArgs = {
  grain?: GroupGrain;
};


/** The impressions of all assets that a filter leaves, on the days of a range, each asset's in its own time zone. */
export type GroupImpressionsTopArgs = {
  limit?: Scalars['Int']['input'];
};


/** The impressions of all assets that a filter leaves, on the days of a range, each asset's in its own time zone. */
export type GroupImpressionsCompareArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** The grains at which a group of assets in several time zones can be told. */
export type GroupGrain =
  /** A local day. */
  | 'day'
  /** A week from Monday to Sunday (ISO 8601). */
  | 'week'
  /** A calendar month. */
  | 'month'
  /** A calendar quarter. */
  | 'quarter';

/** One bucket of a group's series. */
export type GroupBucket = {
  /** The first counted day of the bucket. */
  date: Scalars['Date']['output'];
  /** The sum; null when no asset has data. */
  impressions: Maybe<Scalars['Count']['output']>;
};

/** A company's part of a group's impressions. */
export type GroupCompany = {
  /** The company. */
  company: Company;
  /** The sum. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
  /** How many of its assets have data. */
  assetCount: Scalars['Int']['output'];
};

/** A region's part of a group's impressions. */
export type GroupRegion = {
  /** Country, ISO 3166-1 alpha-2. */
  country: Scalars['String']['output'];
  /** Region, ISO 3166-2. */
  region: Maybe<Scalars['String']['output']>;
  /** The sum. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
  /** How many assets have data. */
  assetCount: Scalars['Int']['output'];
};

/** An asset's part of a group's impressions. */
export type GroupAsset = {
  /** The asset. */
  asset: Asset;
  /** The sum. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** Two ranges of days beside each other. */
export type Comparison = {
  /** Impressions of the range itself. */
  impressions: Scalars['Count']['output'];
  /** Impressions of the range that it is compared with. */
  comparedWith: Scalars['Count']['output'];
  /** By how much the first exceeds the second; negative where it falls short. */
  change: Scalars['Int64']['output'];
  /** The change as a part of the second, 4 decimals; null where that is 0. */
  changeRate: Maybe<Scalars['Float']['output']>;
};

/** A page of assets. */
export type AssetPage = {
  /** The assets of the page, by ascending id. */
  nodes: Array<Asset>;
  /** Whether further assets follow. */
  hasMore: Scalars['Boolean']['output'];
  /** The id of the last asset of the page, null where there is none: with it as `after` the next page begins. */
  last: Maybe<Scalars['ID']['output']>;
  /** How many assets the filter leaves in all, on every page. */
  count: Scalars['Int']['output'];
  /** The impressions of all assets that the filter leaves, not of this page alone. */
  impressions: GroupImpressions;
  /** Who the audience of all assets that the filter leaves was. */
  demographics: AggregateDemographics;
};


/** A page of assets. */
export type AssetPageImpressionsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/** A page of assets. */
export type AssetPageDemographicsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** Which assets. Each condition that is given narrows; of several values one is enough. */
export type AssetFilter = {
  /** Of these ids. */
  id?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Of these companies. */
  companyId?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** In these countries (ISO 3166-1 alpha-2). */
  country?: InputMaybe<Array<Scalars['String']['input']>>;
  /** In these regions (ISO 3166-2). */
  region?: InputMaybe<Array<Scalars['String']['input']>>;
  /** In these cities, by their exact names. */
  city?: InputMaybe<Array<Scalars['String']['input']>>;
  /** Of these OpenOOH 1.1 venue types. */
  venueTypeId?: InputMaybe<Array<Scalars['Int']['input']>>;
  /** Of these media types. */
  mediaType?: InputMaybe<Array<MediaType>>;
  /** Of these formats. */
  format?: InputMaybe<Array<AssetFormat>>;
  /** Of these statuses. */
  status?: InputMaybe<Array<AssetStatus>>;
  /** Whose name contains this, whatever the case. */
  nameContains?: InputMaybe<Scalars['String']['input']>;
  /** Within these bounds. */
  box?: InputMaybe<BoundingBox>;
  /** Within a distance of a point. */
  near?: InputMaybe<Near>;
  /** With, or without, a sensor of the service's own vendor. */
  hasOwnSensor?: InputMaybe<Scalars['Boolean']['input']>;
};

/** Bounds in degrees. Where they span the antimeridian, `west` is greater than `east`. */
export type BoundingBox = {
  /** Least latitude. */
  south: Scalars['Float']['input'];
  /** Least longitude. */
  west: Scalars['Float']['input'];
  /** Greatest latitude. */
  north: Scalars['Float']['input'];
  /** Greatest longitude. */
  east: Scalars['Float']['input'];
};

/** A distance from a point. */
export type Near = {
  /** Latitude of the point, in degrees. */
  latitude: Scalars['Float']['input'];
  /** Longitude of the point, in degrees. */
  longitude: Scalars['Float']['input'];
  /** How far at most, in metres, over the surface of the earth. */
  meters: Scalars['Float']['input'];
};

/** An order of assets; the id decides between equals. */
export type AssetSort = {
  /** By what. */
  by?: AssetOrder;
  /** The greatest first. */
  descending?: Scalars['Boolean']['input'];
};

/** By what assets can be put in order. */
export type AssetOrder =
  /** By id. */
  | 'id'
  /** By name, whatever the case. */
  | 'name'
  /** By when the asset became known. */
  | 'created'
  /** By when its record last changed. */
  | 'updated'
  /** By the last date with counts. */
  | 'measured_to';

/** A physical advertising face. */
export type Asset = {
  /** Identifies the asset. */
  id: Scalars['ID']['output'];
  /** The integer that identified the asset in the legacy interface, where it had one. */
  legacyId: Maybe<Scalars['Int']['output']>;
  /** The company to which the asset belongs. */
  companyId: Scalars['ID']['output'];
  /** What the company calls the asset. */
  name: Scalars['String']['output'];
  /** A description in words. */
  description: Maybe<Scalars['String']['output']>;
  /** Whether the face is digital or static. */
  mediaType: MediaType;
  /** The kind of advertising face. */
  format: AssetFormat;
  /** The OpenOOH 1.1 venue type. */
  venueTypeId: Maybe<Scalars['Int']['output']>;
  /** Whether the asset is in use. */
  status: AssetStatus;
  /** Whether the asset stands indoors. */
  indoors: Scalars['Boolean']['output'];
  /** Where the face looks, in degrees clockwise from north (0-359). */
  facingDegrees: Maybe<Scalars['Int']['output']>;
  /** Width of the face in metres. */
  widthM: Maybe<Scalars['Float']['output']>;
  /** Height of the face in metres. */
  heightM: Maybe<Scalars['Float']['output']>;
  /** Latitude, WGS 84, in degrees. */
  latitude: Scalars['Float']['output'];
  /** Longitude, WGS 84, in degrees. */
  longitude: Scalars['Float']['output'];
  /** Street address. */
  address: Maybe<Scalars['String']['output']>;
  /** City. */
  city: Maybe<Scalars['String']['output']>;
  /** Region, ISO 3166-2. */
  region: Maybe<Scalars['String']['output']>;
  /** Postal code. */
  postalCode: Maybe<Scalars['String']['output']>;
  /** Country, ISO 3166-1 alpha-2. */
  country: Scalars['String']['output'];
  /** The IANA time zone in which the asset's days and hours are counted. */
  timeZone: Scalars['String']['output'];
  /** The finest grain that all of the asset's sensors deliver; null without sensors. */
  finestGrain: Maybe<NativeGrain>;
  /** The sensors that stand on the asset, by ascending id. */
  sensorIds: Array<Scalars['ID']['output']>;
  /** The first local date with counts. */
  measuredFrom: Maybe<Scalars['Date']['output']>;
  /** The last local date with counts. */
  measuredTo: Maybe<Scalars['Date']['output']>;
  /** When the asset became known to the service. */
  createdAt: Scalars['DateTime']['output'];
  /** When the asset's record last changed. */
  updatedAt: Scalars['DateTime']['output'];
  /** The company to which the asset belongs. */
  company: Company;
  /** The sensors that stand on the asset, by ascending id. */
  sensors: Array<Sensor>;
  /** The asset's impressions on the days from `fromDate` to `toDate`, both inclusive, in its time zone. */
  impressions: Impressions;
  /** Who its audience was on those days. */
  demographics: AssetDemographics;
};


/** A physical advertising face. */
export type AssetImpressionsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/** A physical advertising face. */
export type AssetDemographicsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** Whether a face is digital or static. */
export type MediaType =
  /** A screen. */
  | 'digital'
  /** A printed face. */
  | 'static';

/** The kind of advertising face. */
export type AssetFormat =
  /** A large roadside face. */
  | 'billboard'
  /** A panel of a bus shelter. */
  | 'bus_shelter'
  /** A panel at pedestrian height. */
  | 'urban_panel'
  /** A very large, often one-off face. */
  | 'spectacular'
  /** A panel in a shop window. */
  | 'window_panel'
  /** On or in vehicles and stations. */
  | 'transit'
  /** Kiosks, benches, columns and the like. */
  | 'street_furniture'
  /** Inside a place such as a shop, gym or cinema. */
  | 'place_based'
  /** Anything else. */
  | 'other';

/** Whether an asset is in use. */
export type AssetStatus =
  /** In use. */
  | 'active'
  /** Not in use at present. */
  | 'inactive'
  /** Gone, kept for its history. */
  | 'archived';

/** The interface and the key that reads it. */
export type Meta = {
  /** The version of the interface: `v1`. */
  version: Scalars['String']['output'];
  /** The companies that the key reads, by ascending id; empty when the key has no company scope. */
  companies: Array<Company>;
};

/** A tenant, to which assets belong. */
export type Company = {
  /** Identifies the company. */
  id: Scalars['ID']['output'];
  /** The company's name. */
  name: Scalars['String']['output'];
};

/** Who an audience was. Groups are listed whole and in a fixed order; a group that nobody reported has 0. */
export type Demographics = {
  /** The first day. */
  fromDate: Scalars['Date']['output'];
  /** The last day. */
  toDate: Scalars['Date']['output'];
  /** Impressions of all groups. */
  total: Scalars['Count']['output'];
  /** True below 50 impressions: too few to tell groups of people; the lists are empty then. */
  suppressed: Scalars['Boolean']['output'];
  /** By gender: male, female, unknown. */
  gender: Array<GenderGroup>;
  /** By age band, youngest first, unknown last. */
  age: Array<AgeGroup>;
  /** By age band and gender, ages first. */
  ageGender: Array<AgeGenderGroup>;
};

/** Who the audience of one asset was. */
export type AssetDemographics = Demographics & {
  /** The asset. */
  assetId: Scalars['ID']['output'];
  /** The first day. */
  fromDate: Scalars['Date']['output'];
  /** The last day. */
  toDate: Scalars['Date']['output'];
  /** Impressions of all groups. */
  total: Scalars['Count']['output'];
  /** True below 50 impressions: too few to tell groups of people; the lists are empty then. */
  suppressed: Scalars['Boolean']['output'];
  /** By gender: male, female, unknown. */
  gender: Array<GenderGroup>;
  /** By age band, youngest first, unknown last. */
  age: Array<AgeGroup>;
  /** By age band and gender, ages first. */
  ageGender: Array<AgeGenderGroup>;
};

/** Who the audience of several assets was: counts are summed first and divided last. */
export type AggregateDemographics = Demographics & {
  /** How many assets have data in the range. */
  assetCount: Scalars['Int']['output'];
  /** The first day. */
  fromDate: Scalars['Date']['output'];
  /** The last day. */
  toDate: Scalars['Date']['output'];
  /** Impressions of all groups. */
  total: Scalars['Count']['output'];
  /** True below 50 impressions: too few to tell groups of people; the lists are empty then. */
  suppressed: Scalars['Boolean']['output'];
  /** By gender: male, female, unknown. */
  gender: Array<GenderGroup>;
  /** By age band, youngest first, unknown last. */
  age: Array<AgeGroup>;
  /** By age band and gender, ages first. */
  ageGender: Array<AgeGenderGroup>;
};

/** A gender. */
export type Gender =
  /** Male. */
  | 'male'
  /** Female. */
  | 'female'
  /** Not known. */
  | 'unknown';

/** Impressions by gender. */
export type GenderGroup = {
  /** The gender. */
  gender: Gender;
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** Impressions by age band. */
export type AgeGroup = {
  /** The age band. */
  ageBand: Scalars['AgeBand']['output'];
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** Impressions by age band and gender. */
export type AgeGenderGroup = {
  /** The age band. */
  ageBand: Scalars['AgeBand']['output'];
  /** The gender. */
  gender: Gender;
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Its part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/**
 * The impressions of one asset over a range of days. Each field is null when the asset is unknown or out of scope. Days are
 * local days of the asset; missing is not zero: what no sensor observed is null, an observed zero is 0.
 */
export type Impressions = {
  /** The range in one row. At most 3,660 days. */
  summary: Maybe<ImpressionsSummaries>;
  /** One row a day. At most 3,660 days. */
  daily: Maybe<DailyImpressions>;
  /** One row a clock hour. At most 420 days. */
  hourly: Maybe<ImpressionsSeries>;
  /** One row a bucket of the grain. At most 7 days of minutes, 105 of quarter hours, 420 of hours, 3,660 of anything coarser. */
  timeseries: Maybe<ImpressionsSeries>;
  /** By the region in which the audience lives, most impressions first. At most 3,660 days. */
  byRegion: Maybe<ImpressionsByRegion>;
  /** By the city in which the audience lives, most impressions first. At most 3,660 days. */
  byCity: Maybe<ImpressionsByCity>;
  /** Beside another range of days. */
  compare: Maybe<Comparison>;
};


/**
 * The impressions of one asset over a range of days. Each field is null when the asset is unknown or out of scope. Days are
 * local days of the asset; missing is not zero: what no sensor observed is null, an observed zero is 0.
 */
export type ImpressionsTimeseriesArgs = {
  grain: Grain;
};


/**
 * The impressions of one asset over a range of days. Each field is null when the asset is unknown or out of scope. Days are
 * local days of the asset; missing is not zero: what no sensor observed is null, an observed zero is 0.
 */
export type ImpressionsCompareArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** The grains of a series. Weeks begin on Monday; weeks, months and quarters are cut at the ends of the range. */
export type Grain =
  /** A minute. Only where every sensor in the range is the service's own. */
  | 'minute'
  /** A quarter of an hour. */
  | 'quarter_hour'
  /** A clock hour. */
  | 'hour'
  /** A local day. */
  | 'day'
  /** A week from Monday to Sunday (ISO 8601). */
  | 'week'
  /** A calendar month. */
  | 'month'
  /** A calendar quarter. */
  | 'quarter';

/** A range in one row. */
export type ImpressionsSummaries = {
  /** Exactly one row. */
  rows: Array<ImpressionsSummary>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a day with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** What a range of days came to. */
export type ImpressionsSummary = {
  /** The first day of the range. */
  fromDate: Scalars['Date']['output'];
  /** The last day of the range. */
  toDate: Scalars['Date']['output'];
  /** How many days the range has. */
  days: Scalars['Int']['output'];
  /** How many of them have data. */
  daysWithData: Scalars['Int']['output'];
  /** Impressions of the range. */
  impressions: Scalars['Count']['output'];
  /** Impressions a day with data, 2 decimals, 0 without data. */
  averageDailyImpressions: Scalars['Float']['output'];
  /** The day with most impressions, the earliest where several have as many; null without data. */
  busiestDate: Maybe<Scalars['Date']['output']>;
  /** The impressions of that day. */
  busiestDateImpressions: Maybe<Scalars['Count']['output']>;
  /** Observed over expected native intervals of the sensors installed, 0 to 1, 4 decimals. */
  coverage: Scalars['Float']['output'];
};

/** A range by days. */
export type DailyImpressions = {
  /** One row a day, the first day first. */
  rows: Array<DayOfImpressions>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a day with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** One local day. */
export type DayOfImpressions = {
  /** The day. */
  date: Scalars['Date']['output'];
  /** Impressions of the day; null when no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
  /** Observed over expected native intervals of the sensors installed, 0 to 1, 4 decimals. */
  coverage: Scalars['Float']['output'];
};

/** A range by buckets of a grain. */
export type ImpressionsSeries = {
  /** One row a bucket, the first bucket first. */
  rows: Array<BucketOfImpressions>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a bucket with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** One bucket of a grain. */
export type BucketOfImpressions = {
  /** Where the counted part of the bucket begins, with the asset's offset at that instant. */
  start: Scalars['DateTime']['output'];
  /** Impressions of the bucket; null when no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
  /** Observed over expected native intervals of the sensors installed, 0 to 1, 4 decimals. */
  coverage: Scalars['Float']['output'];
};

/** A range by the audience's home region. */
export type ImpressionsByRegion = {
  /** One row a region, most impressions first, then by country and region. */
  rows: Array<RegionOfImpressions>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a day with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** Impressions of the audience that lives in one region. */
export type RegionOfImpressions = {
  /** Country, ISO 3166-1 alpha-2. */
  country: Scalars['String']['output'];
  /** Region, ISO 3166-2. */
  region: Scalars['String']['output'];
  /** Impressions of people who live there. */
  impressions: Scalars['Count']['output'];
  /** Their part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** A range by the audience's home city. */
export type ImpressionsByCity = {
  /** One row a city, most impressions first, then by country, region and city. */
  rows: Array<CityOfImpressions>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a day with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** Impressions of the audience that lives in one city. */
export type CityOfImpressions = {
  /** Country, ISO 3166-1 alpha-2. */
  country: Scalars['String']['output'];
  /** Region, ISO 3166-2. */
  region: Scalars['String']['output'];
  /** City. */
  city: Scalars['String']['output'];
  /** Impressions of people who live there. */
  impressions: Scalars['Count']['output'];
  /** Their part of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** An asset as the frozen legacy interface lists it. */
export type LegacyAsset = {
  /** The integer that identifies the asset in the legacy interface. */
  legacyId: Scalars['Int']['output'];
  /** The asset's id. */
  id: Scalars['ID']['output'];
  /** The asset's name. */
  name: Scalars['String']['output'];
  /** The name of the company to which the asset belongs. */
  company: Scalars['String']['output'];
};

/** An asset as the frozen legacy interface tells it beside its numbers. */
export type LegacyAssetState = {
  /** The asset's name. */
  name: Scalars['String']['output'];
  /** Where it stands. */
  center: LegacyCenter;
  /** The serial numbers of its sensors, ascending. */
  deviceIds: Array<Scalars['String']['output']>;
  /** The worst state of its sensors. */
  sensorStatus: LegacySensorStatus;
};

/** Where an asset stands, WGS 84. */
export type LegacyCenter = {
  /** Latitude in degrees. */
  lat: Scalars['Float']['output'];
  /** Longitude in degrees. */
  lng: Scalars['Float']['output'];
};

/** The worst state of an asset's sensors. */
export type LegacySensorStatus =
  /** All work. */
  | 'online'
  /** At least one works with faults, or its check is overdue. */
  | 'degraded'
  /** At least one does not work. */
  | 'offline'
  /** Not known, or without sensors. */
  | 'unknown';

/** The impressions of one asset as the frozen legacy interface tells them. Each field is null when the asset is unknown or out of scope. */
export type LegacyMetrics = {
  /** By day. At most 3,660 days. */
  daily: Maybe<DailyImpressions>;
  /** By the finest grain that the asset's sensors deliver in the range, minutes where they can. At most 7 days. */
  finest: Maybe<LegacyTimes>;
};

/** A range by the time of day. */
export type LegacyTimes = {
  /** One row a bucket, the first bucket first. */
  rows: Array<LegacyTime>;
  /** The sum of the rows, 0 without data. */
  total: Scalars['Count']['output'];
  /** Impressions a bucket with data, 2 decimals, 0 without data. */
  average: Scalars['Float']['output'];
};

/** One bucket, by what the clock shows. A repeated hour stands twice. */
export type LegacyTime = {
  /** Local time, `HH:MM`. */
  time: Scalars['String']['output'];
  /** Impressions of the bucket; null when no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
};

/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type Query = {
  /** The version of the interface, and the companies that the key reads. */
  meta: Meta;
  /** One asset, by its id. Null when it is unknown or out of scope. */
  asset: Maybe<Asset>;
  /** Assets in an order, by ascending id unless told otherwise, from the one behind `after` on. */
  assets: AssetPage;
  /** Sensors by ascending id, from the one behind `after` on. Null when `assetId` is unknown or out of scope. */
  sensors: Maybe<SensorPage>;
  /** The makers of sensors, by ascending id. */
  vendors: Array<Vendor>;
  /** The impressions of one asset on the days from `fromDate` to `toDate`, both inclusive, in the asset's time zone. */
  impressions: Impressions;
  /** Who the audience of one asset was on the days from `fromDate` to `toDate`, both inclusive. Null when the asset is unknown or out of scope. */
  demographics: Maybe<AssetDemographics>;
  /**
   * Who the audience of several assets was, counted together, on the days from `fromDate` to `toDate`, both inclusive, each
   * asset's in its own time zone. Without a filter all assets in scope. Null when one of `assetIds` is unknown or out of scope.
   */
  demographicsAggregate: Maybe<AggregateDemographics>;
  /** All assets in scope that the legacy interface knows, by ascending legacy id. */
  legacyAssets: Array<LegacyAsset>;
  /** One asset beside its numbers, by its legacy id or its id, as the legacy interface tells it. Null when it is unknown or out of scope. */
  legacyAsset: Maybe<LegacyAssetState>;
  /** The impressions of one asset, by its legacy id or its id, on the days from `fromDate` to `toDate`, both inclusive, as the legacy interface tells them. */
  legacyMetrics: LegacyMetrics;
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryAssetArgs = {
  id: Scalars['ID']['input'];
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryAssetsArgs = {
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  filter?: InputMaybe<AssetFilter>;
  sort?: InputMaybe<AssetSort>;
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QuerySensorsArgs = {
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  assetId?: InputMaybe<Scalars['ID']['input']>;
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryImpressionsArgs = {
  assetId: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryDemographicsArgs = {
  assetId: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryDemographicsAggregateArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
  assetIds?: InputMaybe<Array<Scalars['ID']['input']>>;
  country?: InputMaybe<Scalars['String']['input']>;
  region?: InputMaybe<Scalars['String']['input']>;
  city?: InputMaybe<Scalars['String']['input']>;
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryLegacyAssetArgs = {
  id: Scalars['ID']['input'];
};


/**
 * What can be asked. Every answer holds only what belongs to the companies of the presented key: anything else is absent,
 * as if it did not exist.
 */
export type QueryLegacyMetricsArgs = {
  id: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** A page of sensors. */
export type SensorPage = {
  /** The sensors of the page, by ascending id. */
  nodes: Array<Sensor>;
  /** Whether further sensors follow. */
  hasMore: Scalars['Boolean']['output'];
  /** The id of the last sensor of the page, null where there is none: with it as `after` the next page begins. */
  last: Maybe<Scalars['ID']['output']>;
};

/** Hardware that counts an asset's audience. It belongs to its asset's company. */
export type Sensor = {
  /** Identifies the sensor. */
  id: Scalars['ID']['output'];
  /** The maker's serial number, unique in the service. */
  serial: Scalars['String']['output'];
  /** The maker's model. */
  model: Scalars['String']['output'];
  /** The vendor's name. */
  vendor: Scalars['String']['output'];
  /** Whether the vendor is the service itself or a third party. */
  vendorType: VendorType;
  /** The finest grain at which the sensor counts. */
  finestGrain: NativeGrain;
  /** The asset on which the sensor stands. */
  assetId: Maybe<Scalars['ID']['output']>;
  /** Where the sensor stands in billing. */
  billableState: BillableState;
  /** How the sensor is, by its last check and that check's age. */
  health: SensorHealth;
  /** When the sensor was installed on the asset. */
  installedAt: Scalars['DateTime']['output'];
  /** When the sensor was removed from the asset. */
  removedAt: Maybe<Scalars['DateTime']['output']>;
  /** The asset on which the sensor stands. */
  asset: Maybe<Asset>;
};

/** Whose hardware a sensor is. */
export type VendorType =
  /** The service's own. */
  | 'own'
  /** A third party's. */
  | 'third_party';

/** The grains at which sensors count. */
export type NativeGrain =
  /** A minute. */
  | 'minute'
  /** A quarter of an hour. */
  | 'quarter_hour'
  /** A clock hour. */
  | 'hour';

/** Where a sensor stands in billing. */
export type BillableState =
  /** Not billed yet. */
  | 'pending'
  /** Billed. */
  | 'billable'
  /** Billing is paused. */
  | 'suspended'
  /** No longer billed. */
  | 'retired';

/** How a sensor is. Checks are due every 15 minutes; one that is overdue counts against the sensor. */
export type SensorHealth = {
  /** The worse of what the last check said and what its age says: degraded after 30 minutes, offline after 60, unknown without any check. */
  status: HealthStatus;
  /** When the sensor was last checked. */
  checkedAt: Maybe<Scalars['DateTime']['output']>;
  /** When the sensor last reported. */
  lastSeenAt: Maybe<Scalars['DateTime']['output']>;
  /** Why the sensor is not healthy; `check_overdue` where the check's age says so. */
  reason: Maybe<Scalars['String']['output']>;
  /** How often checks are due, in minutes. */
  cadenceMinutes: Scalars['Int']['output'];
};

/** How a sensor is. */
export type HealthStatus =
  /** Works. */
  | 'healthy'
  /** Works with faults, or its check is overdue. */
  | 'degraded'
  /** Does not work, or has not been checked for long. */
  | 'offline'
  /** Never checked. */
  | 'unknown';

/** A maker of sensors: the service itself, or a third party. */
export type Vendor = {
  /** Identifies the vendor. */
  id: Scalars['ID']['output'];
  /** The vendor's name. */
  name: Scalars['String']['output'];
  /** Whose hardware it is. */
  type: VendorType;
  /** The finest grain at which its sensors count. */
  finestGrain: NativeGrain;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type SubscriptionSubscribeFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => AsyncIterable<TResult> | Promise<AsyncIterable<TResult>>;

export type SubscriptionResolveFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;

export interface SubscriptionSubscriberObject<TResult, TKey extends string, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<{ [key in TKey]: TResult }, TParent, TContext, TArgs>;
  resolve?: SubscriptionResolveFn<TResult, { [key in TKey]: TResult }, TContext, TArgs>;
}

export interface SubscriptionResolverObject<TResult, TParent, TContext, TArgs> {
  subscribe: SubscriptionSubscribeFn<any, TParent, TContext, TArgs>;
  resolve: SubscriptionResolveFn<TResult, any, TContext, TArgs>;
}

export type SubscriptionObject<TResult, TKey extends string, TParent, TContext, TArgs> =
  | SubscriptionSubscriberObject<TResult, TKey, TParent, TContext, TArgs>
  | SubscriptionResolverObject<TResult, TParent, TContext, TArgs>;

export type SubscriptionResolver<TResult, TKey extends string, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> =
  | ((...args: any[]) => SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>)
  | SubscriptionObject<TResult, TKey, TParent, TContext, TArgs>;

export type TypeResolveFn<TTypes, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (
  parent: TParent,
  context: TContext,
  info: GraphQLResolveInfo
) => Maybe<TTypes> | Promise<Maybe<TTypes>>;

export type IsTypeOfResolverFn<T = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>> = (obj: T, context: TContext, info: GraphQLResolveInfo) => boolean | Promise<boolean>;

export type NextResolverFn<T> = () => Promise<T>;

export type DirectiveResolverFn<TResult = Record<PropertyKey, never>, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = (
  next: NextResolverFn<TResult>,
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => TResult | Promise<TResult>;




/** Mapping of interface types */
export type ResolversInterfaceTypes<_RefType extends Record<string, unknown>> = {
  Demographics:
    | ( AssetDemographics )
    | ( AggregateDemographics )
  ;
};

/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  GroupImpressions: ResolverTypeWrapper<{ filter: InputMaybe<AssetFilter>; fromDate: string; toDate: string }>;
  GroupGrain: GroupGrain;
  GroupBucket: ResolverTypeWrapper<GroupBucket>;
  GroupCompany: ResolverTypeWrapper<GroupCompany>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
  GroupRegion: ResolverTypeWrapper<GroupRegion>;
  GroupAsset: ResolverTypeWrapper<{ assetId: string; impressions: number; share: number }>;
  Comparison: ResolverTypeWrapper<Comparison>;
  AssetPage: ResolverTypeWrapper<{ nodes: Omit<Asset, 'company' | 'sensors' | 'impressions' | 'demographics'>[]; hasMore: boolean; last: string | null; filter: InputMaybe<AssetFilter> }>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  AssetFilter: AssetFilter;
  BoundingBox: BoundingBox;
  Near: Near;
  AssetSort: AssetSort;
  AssetOrder: AssetOrder;
  Asset: ResolverTypeWrapper<Omit<Asset, 'company' | 'sensors' | 'impressions' | 'demographics'>>;
  MediaType: MediaType;
  AssetFormat: AssetFormat;
  AssetStatus: AssetStatus;
  Meta: ResolverTypeWrapper<Meta>;
  Company: ResolverTypeWrapper<Company>;
  Demographics: ResolverTypeWrapper<ResolversInterfaceTypes<ResolversTypes>['Demographics']>;
  AssetDemographics: ResolverTypeWrapper<AssetDemographics>;
  AggregateDemographics: ResolverTypeWrapper<AggregateDemographics>;
  Gender: Gender;
  GenderGroup: ResolverTypeWrapper<GenderGroup>;
  AgeGroup: ResolverTypeWrapper<AgeGroup>;
  AgeGenderGroup: ResolverTypeWrapper<AgeGenderGroup>;
  Impressions: ResolverTypeWrapper<{ assetId: string; fromDate: string; toDate: string; nested?: boolean }>;
  Grain: Grain;
  ImpressionsSummaries: ResolverTypeWrapper<ImpressionsSummaries>;
  ImpressionsSummary: ResolverTypeWrapper<ImpressionsSummary>;
  DailyImpressions: ResolverTypeWrapper<DailyImpressions>;
  DayOfImpressions: ResolverTypeWrapper<DayOfImpressions>;
  ImpressionsSeries: ResolverTypeWrapper<ImpressionsSeries>;
  BucketOfImpressions: ResolverTypeWrapper<BucketOfImpressions>;
  ImpressionsByRegion: ResolverTypeWrapper<ImpressionsByRegion>;
  RegionOfImpressions: ResolverTypeWrapper<RegionOfImpressions>;
  ImpressionsByCity: ResolverTypeWrapper<ImpressionsByCity>;
  CityOfImpressions: ResolverTypeWrapper<CityOfImpressions>;
  LegacyAsset: ResolverTypeWrapper<LegacyAsset>;
  LegacyAssetState: ResolverTypeWrapper<LegacyAssetState>;
  LegacyCenter: ResolverTypeWrapper<LegacyCenter>;
  LegacySensorStatus: LegacySensorStatus;
  LegacyMetrics: ResolverTypeWrapper<{ id: string; fromDate: string; toDate: string }>;
  LegacyTimes: ResolverTypeWrapper<LegacyTimes>;
  LegacyTime: ResolverTypeWrapper<LegacyTime>;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Count: ResolverTypeWrapper<Scalars['Count']['output']>;
  Int64: ResolverTypeWrapper<Scalars['Int64']['output']>;
  AgeBand: ResolverTypeWrapper<Scalars['AgeBand']['output']>;
  SensorPage: ResolverTypeWrapper<Omit<SensorPage, 'nodes'> & { nodes: Array<ResolversTypes['Sensor']> }>;
  Sensor: ResolverTypeWrapper<Omit<Sensor, 'asset'>>;
  VendorType: VendorType;
  NativeGrain: NativeGrain;
  BillableState: BillableState;
  SensorHealth: ResolverTypeWrapper<SensorHealth>;
  HealthStatus: HealthStatus;
  Vendor: ResolverTypeWrapper<Vendor>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  GroupImpressions: { filter: InputMaybe<AssetFilter>; fromDate: string; toDate: string };
  GroupBucket: GroupBucket;
  GroupCompany: GroupCompany;
  Float: Scalars['Float']['output'];
  GroupRegion: GroupRegion;
  GroupAsset: { assetId: string; impressions: number; share: number };
  Comparison: Comparison;
  AssetPage: { nodes: Omit<Asset, 'company' | 'sensors' | 'impressions' | 'demographics'>[]; hasMore: boolean; last: string | null; filter: InputMaybe<AssetFilter> };
  ID: Scalars['ID']['output'];
  AssetFilter: AssetFilter;
  BoundingBox: BoundingBox;
  Near: Near;
  AssetSort: AssetSort;
  Asset: Omit<Asset, 'company' | 'sensors' | 'impressions' | 'demographics'>;
  Meta: Meta;
  Company: Company;
  Demographics: ResolversInterfaceTypes<ResolversParentTypes>['Demographics'];
  AssetDemographics: AssetDemographics;
  AggregateDemographics: AggregateDemographics;
  GenderGroup: GenderGroup;
  AgeGroup: AgeGroup;
  AgeGenderGroup: AgeGenderGroup;
  Impressions: { assetId: string; fromDate: string; toDate: string; nested?: boolean };
  ImpressionsSummaries: ImpressionsSummaries;
  ImpressionsSummary: ImpressionsSummary;
  DailyImpressions: DailyImpressions;
  DayOfImpressions: DayOfImpressions;
  ImpressionsSeries: ImpressionsSeries;
  BucketOfImpressions: BucketOfImpressions;
  ImpressionsByRegion: ImpressionsByRegion;
  RegionOfImpressions: RegionOfImpressions;
  ImpressionsByCity: ImpressionsByCity;
  CityOfImpressions: CityOfImpressions;
  LegacyAsset: LegacyAsset;
  LegacyAssetState: LegacyAssetState;
  LegacyCenter: LegacyCenter;
  LegacyMetrics: { id: string; fromDate: string; toDate: string };
  LegacyTimes: LegacyTimes;
  LegacyTime: LegacyTime;
  Query: Record<PropertyKey, never>;
  Date: Scalars['Date']['output'];
  DateTime: Scalars['DateTime']['output'];
  Count: Scalars['Count']['output'];
  Int64: Scalars['Int64']['output'];
  AgeBand: Scalars['AgeBand']['output'];
  SensorPage: Omit<SensorPage, 'nodes'> & { nodes: Array<ResolversParentTypes['Sensor']> };
  Sensor: Omit<Sensor, 'asset'>;
  SensorHealth: SensorHealth;
  Vendor: Vendor;
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
};

export type RowsDirectiveArgs = {
  argument?: Maybe<Scalars['String']['input']>;
  most?: Maybe<Scalars['Int']['input']>;
  buckets?: Maybe<Scalars['Boolean']['input']>;
  grain?: Maybe<Grain>;
};

export type RowsDirectiveResolver<Result, Parent, ContextType = any, Args = RowsDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type GroupImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupImpressions'] = ResolversParentTypes['GroupImpressions']> = {
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  assetCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  series?: Resolver<Array<ResolversTypes['GroupBucket']>, ParentType, ContextType, RequireFields<GroupImpressionsSeriesArgs, 'grain'>>;
  byCompany?: Resolver<Array<ResolversTypes['GroupCompany']>, ParentType, ContextType>;
  byRegion?: Resolver<Array<ResolversTypes['GroupRegion']>, ParentType, ContextType>;
  top?: Resolver<Array<ResolversTypes['GroupAsset']>, ParentType, ContextType, RequireFields<GroupImpressionsTopArgs, 'limit'>>;
  compare?: Resolver<ResolversTypes['Comparison'], ParentType, ContextType, RequireFields<GroupImpressionsCompareArgs, 'fromDate' | 'toDate'>>;
};

export type GroupBucketResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupBucket'] = ResolversParentTypes['GroupBucket']> = {
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
};

export type GroupCompanyResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupCompany'] = ResolversParentTypes['GroupCompany']> = {
  company?: Resolver<ResolversTypes['Company'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  assetCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type GroupRegionResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupRegion'] = ResolversParentTypes['GroupRegion']> = {
  country?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  region?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  assetCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type GroupAssetResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupAsset'] = ResolversParentTypes['GroupAsset']> = {
  asset?: Resolver<ResolversTypes['Asset'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ComparisonResolvers<ContextType = any, ParentType extends ResolversParentTypes['Comparison'] = ResolversParentTypes['Comparison']> = {
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  comparedWith?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  change?: Resolver<ResolversTypes['Int64'], ParentType, ContextType>;
  changeRate?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type AssetPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['AssetPage'] = ResolversParentTypes['AssetPage']> = {
  nodes?: Resolver<Array<ResolversTypes['Asset']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['GroupImpressions'], ParentType, ContextType, RequireFields<AssetPageImpressionsArgs, 'fromDate' | 'toDate'>>;
  demographics?: Resolver<ResolversTypes['AggregateDemographics'], ParentType, ContextType, RequireFields<AssetPageDemographicsArgs, 'fromDate' | 'toDate'>>;
};

export type AssetResolvers<ContextType = any, ParentType extends ResolversParentTypes['Asset'] = ResolversParentTypes['Asset']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  legacyId?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  companyId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mediaType?: Resolver<ResolversTypes['MediaType'], ParentType, ContextType>;
  format?: Resolver<ResolversTypes['AssetFormat'], ParentType, ContextType>;
  venueTypeId?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  status?: Resolver<ResolversTypes['AssetStatus'], ParentType, ContextType>;
  indoors?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  facingDegrees?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  widthM?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  heightM?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  latitude?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  longitude?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  address?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  city?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  region?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  postalCode?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  country?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  timeZone?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  finestGrain?: Resolver<Maybe<ResolversTypes['NativeGrain']>, ParentType, ContextType>;
  sensorIds?: Resolver<Array<ResolversTypes['ID']>, ParentType, ContextType>;
  measuredFrom?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  measuredTo?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  createdAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  company?: Resolver<ResolversTypes['Company'], ParentType, ContextType>;
  sensors?: Resolver<Array<ResolversTypes['Sensor']>, ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Impressions'], ParentType, ContextType, RequireFields<AssetImpressionsArgs, 'fromDate' | 'toDate'>>;
  demographics?: Resolver<ResolversTypes['AssetDemographics'], ParentType, ContextType, RequireFields<AssetDemographicsArgs, 'fromDate' | 'toDate'>>;
};

export type MetaResolvers<ContextType = any, ParentType extends ResolversParentTypes['Meta'] = ResolversParentTypes['Meta']> = {
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  companies?: Resolver<Array<ResolversTypes['Company']>, ParentType, ContextType>;
};

export type CompanyResolvers<ContextType = any, ParentType extends ResolversParentTypes['Company'] = ResolversParentTypes['Company']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type DemographicsResolvers<ContextType = any, ParentType extends ResolversParentTypes['Demographics'] = ResolversParentTypes['Demographics']> = {
  __resolveType: TypeResolveFn<'AssetDemographics' | 'AggregateDemographics', ParentType, ContextType>;
};

export type AssetDemographicsResolvers<ContextType = any, ParentType extends ResolversParentTypes['AssetDemographics'] = ResolversParentTypes['AssetDemographics']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  fromDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  toDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  suppressed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  gender?: Resolver<Array<ResolversTypes['GenderGroup']>, ParentType, ContextType>;
  age?: Resolver<Array<ResolversTypes['AgeGroup']>, ParentType, ContextType>;
  ageGender?: Resolver<Array<ResolversTypes['AgeGenderGroup']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type AggregateDemographicsResolvers<ContextType = any, ParentType extends ResolversParentTypes['AggregateDemographics'] = ResolversParentTypes['AggregateDemographics']> = {
  assetCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  fromDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  toDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  suppressed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  gender?: Resolver<Array<ResolversTypes['GenderGroup']>, ParentType, ContextType>;
  age?: Resolver<Array<ResolversTypes['AgeGroup']>, ParentType, ContextType>;
  ageGender?: Resolver<Array<ResolversTypes['AgeGenderGroup']>, ParentType, ContextType>;
  __isTypeOf?: IsTypeOfResolverFn<ParentType, ContextType>;
};

export type GenderGroupResolvers<ContextType = any, ParentType extends ResolversParentTypes['GenderGroup'] = ResolversParentTypes['GenderGroup']> = {
  gender?: Resolver<ResolversTypes['Gender'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type AgeGroupResolvers<ContextType = any, ParentType extends ResolversParentTypes['AgeGroup'] = ResolversParentTypes['AgeGroup']> = {
  ageBand?: Resolver<ResolversTypes['AgeBand'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type AgeGenderGroupResolvers<ContextType = any, ParentType extends ResolversParentTypes['AgeGenderGroup'] = ResolversParentTypes['AgeGenderGroup']> = {
  ageBand?: Resolver<ResolversTypes['AgeBand'], ParentType, ContextType>;
  gender?: Resolver<ResolversTypes['Gender'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['Impressions'] = ResolversParentTypes['Impressions']> = {
  summary?: Resolver<Maybe<ResolversTypes['ImpressionsSummaries']>, ParentType, ContextType>;
  daily?: Resolver<Maybe<ResolversTypes['DailyImpressions']>, ParentType, ContextType>;
  hourly?: Resolver<Maybe<ResolversTypes['ImpressionsSeries']>, ParentType, ContextType>;
  timeseries?: Resolver<Maybe<ResolversTypes['ImpressionsSeries']>, ParentType, ContextType, RequireFields<ImpressionsTimeseriesArgs, 'grain'>>;
  byRegion?: Resolver<Maybe<ResolversTypes['ImpressionsByRegion']>, ParentType, ContextType>;
  byCity?: Resolver<Maybe<ResolversTypes['ImpressionsByCity']>, ParentType, ContextType>;
  compare?: Resolver<Maybe<ResolversTypes['Comparison']>, ParentType, ContextType, RequireFields<ImpressionsCompareArgs, 'fromDate' | 'toDate'>>;
};

export type ImpressionsSummariesResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsSummaries'] = ResolversParentTypes['ImpressionsSummaries']> = {
  rows?: Resolver<Array<ResolversTypes['ImpressionsSummary']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsSummaryResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsSummary'] = ResolversParentTypes['ImpressionsSummary']> = {
  fromDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  toDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  days?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  averageDailyImpressions?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  busiestDate?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  busiestDateImpressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  coverage?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type DailyImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['DailyImpressions'] = ResolversParentTypes['DailyImpressions']> = {
  rows?: Resolver<Array<ResolversTypes['DayOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type DayOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['DayOfImpressions'] = ResolversParentTypes['DayOfImpressions']> = {
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  coverage?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsSeriesResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsSeries'] = ResolversParentTypes['ImpressionsSeries']> = {
  rows?: Resolver<Array<ResolversTypes['BucketOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type BucketOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['BucketOfImpressions'] = ResolversParentTypes['BucketOfImpressions']> = {
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  coverage?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsByRegionResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsByRegion'] = ResolversParentTypes['ImpressionsByRegion']> = {
  rows?: Resolver<Array<ResolversTypes['RegionOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type RegionOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['RegionOfImpressions'] = ResolversParentTypes['RegionOfImpressions']> = {
  country?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  region?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsByCityResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsByCity'] = ResolversParentTypes['ImpressionsByCity']> = {
  rows?: Resolver<Array<ResolversTypes['CityOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type CityOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['CityOfImpressions'] = ResolversParentTypes['CityOfImpressions']> = {
  country?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  region?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  city?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type LegacyAssetResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyAsset'] = ResolversParentTypes['LegacyAsset']> = {
  legacyId?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  company?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type LegacyAssetStateResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyAssetState'] = ResolversParentTypes['LegacyAssetState']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  center?: Resolver<ResolversTypes['LegacyCenter'], ParentType, ContextType>;
  deviceIds?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  sensorStatus?: Resolver<ResolversTypes['LegacySensorStatus'], ParentType, ContextType>;
};

export type LegacyCenterResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyCenter'] = ResolversParentTypes['LegacyCenter']> = {
  lat?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  lng?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type LegacyMetricsResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyMetrics'] = ResolversParentTypes['LegacyMetrics']> = {
  daily?: Resolver<Maybe<ResolversTypes['DailyImpressions']>, ParentType, ContextType>;
  finest?: Resolver<Maybe<ResolversTypes['LegacyTimes']>, ParentType, ContextType>;
};

export type LegacyTimesResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyTimes'] = ResolversParentTypes['LegacyTimes']> = {
  rows?: Resolver<Array<ResolversTypes['LegacyTime']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type LegacyTimeResolvers<ContextType = any, ParentType extends ResolversParentTypes['LegacyTime'] = ResolversParentTypes['LegacyTime']> = {
  time?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
};

export type QueryResolvers<ContextType = any, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  meta?: Resolver<ResolversTypes['Meta'], ParentType, ContextType>;
  asset?: Resolver<Maybe<ResolversTypes['Asset']>, ParentType, ContextType, RequireFields<QueryAssetArgs, 'id'>>;
  assets?: Resolver<ResolversTypes['AssetPage'], ParentType, ContextType, RequireFields<QueryAssetsArgs, 'limit'>>;
  sensors?: Resolver<Maybe<ResolversTypes['SensorPage']>, ParentType, ContextType, RequireFields<QuerySensorsArgs, 'limit'>>;
  vendors?: Resolver<Array<ResolversTypes['Vendor']>, ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Impressions'], ParentType, ContextType, RequireFields<QueryImpressionsArgs, 'assetId' | 'fromDate' | 'toDate'>>;
  demographics?: Resolver<Maybe<ResolversTypes['AssetDemographics']>, ParentType, ContextType, RequireFields<QueryDemographicsArgs, 'assetId' | 'fromDate' | 'toDate'>>;
  demographicsAggregate?: Resolver<Maybe<ResolversTypes['AggregateDemographics']>, ParentType, ContextType, RequireFields<QueryDemographicsAggregateArgs, 'fromDate' | 'toDate'>>;
  legacyAssets?: Resolver<Array<ResolversTypes['LegacyAsset']>, ParentType, ContextType>;
  legacyAsset?: Resolver<Maybe<ResolversTypes['LegacyAssetState']>, ParentType, ContextType, RequireFields<QueryLegacyAssetArgs, 'id'>>;
  legacyMetrics?: Resolver<ResolversTypes['LegacyMetrics'], ParentType, ContextType, RequireFields<QueryLegacyMetricsArgs, 'id' | 'fromDate' | 'toDate'>>;
};

export interface DateScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Date'], any> {
  name: 'Date';
}

export interface DateTimeScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['DateTime'], any> {
  name: 'DateTime';
}

export interface CountScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Count'], any> {
  name: 'Count';
}

export interface Int64ScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['Int64'], any> {
  name: 'Int64';
}

export interface AgeBandScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AgeBand'], any> {
  name: 'AgeBand';
}

export type SensorPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['SensorPage'] = ResolversParentTypes['SensorPage']> = {
  nodes?: Resolver<Array<ResolversTypes['Sensor']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type SensorResolvers<ContextType = any, ParentType extends ResolversParentTypes['Sensor'] = ResolversParentTypes['Sensor']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  serial?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  vendor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  vendorType?: Resolver<ResolversTypes['VendorType'], ParentType, ContextType>;
  finestGrain?: Resolver<ResolversTypes['NativeGrain'], ParentType, ContextType>;
  assetId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  billableState?: Resolver<ResolversTypes['BillableState'], ParentType, ContextType>;
  health?: Resolver<ResolversTypes['SensorHealth'], ParentType, ContextType>;
  installedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  removedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  asset?: Resolver<Maybe<ResolversTypes['Asset']>, ParentType, ContextType>;
};

export type SensorHealthResolvers<ContextType = any, ParentType extends ResolversParentTypes['SensorHealth'] = ResolversParentTypes['SensorHealth']> = {
  status?: Resolver<ResolversTypes['HealthStatus'], ParentType, ContextType>;
  checkedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastSeenAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cadenceMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type VendorResolvers<ContextType = any, ParentType extends ResolversParentTypes['Vendor'] = ResolversParentTypes['Vendor']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  type?: Resolver<ResolversTypes['VendorType'], ParentType, ContextType>;
  finestGrain?: Resolver<ResolversTypes['NativeGrain'], ParentType, ContextType>;
};

export type Resolvers<ContextType = any> = {
  GroupImpressions?: GroupImpressionsResolvers<ContextType>;
  GroupBucket?: GroupBucketResolvers<ContextType>;
  GroupCompany?: GroupCompanyResolvers<ContextType>;
  GroupRegion?: GroupRegionResolvers<ContextType>;
  GroupAsset?: GroupAssetResolvers<ContextType>;
  Comparison?: ComparisonResolvers<ContextType>;
  AssetPage?: AssetPageResolvers<ContextType>;
  Asset?: AssetResolvers<ContextType>;
  Meta?: MetaResolvers<ContextType>;
  Company?: CompanyResolvers<ContextType>;
  Demographics?: DemographicsResolvers<ContextType>;
  AssetDemographics?: AssetDemographicsResolvers<ContextType>;
  AggregateDemographics?: AggregateDemographicsResolvers<ContextType>;
  GenderGroup?: GenderGroupResolvers<ContextType>;
  AgeGroup?: AgeGroupResolvers<ContextType>;
  AgeGenderGroup?: AgeGenderGroupResolvers<ContextType>;
  Impressions?: ImpressionsResolvers<ContextType>;
  ImpressionsSummaries?: ImpressionsSummariesResolvers<ContextType>;
  ImpressionsSummary?: ImpressionsSummaryResolvers<ContextType>;
  DailyImpressions?: DailyImpressionsResolvers<ContextType>;
  DayOfImpressions?: DayOfImpressionsResolvers<ContextType>;
  ImpressionsSeries?: ImpressionsSeriesResolvers<ContextType>;
  BucketOfImpressions?: BucketOfImpressionsResolvers<ContextType>;
  ImpressionsByRegion?: ImpressionsByRegionResolvers<ContextType>;
  RegionOfImpressions?: RegionOfImpressionsResolvers<ContextType>;
  ImpressionsByCity?: ImpressionsByCityResolvers<ContextType>;
  CityOfImpressions?: CityOfImpressionsResolvers<ContextType>;
  LegacyAsset?: LegacyAssetResolvers<ContextType>;
  LegacyAssetState?: LegacyAssetStateResolvers<ContextType>;
  LegacyCenter?: LegacyCenterResolvers<ContextType>;
  LegacyMetrics?: LegacyMetricsResolvers<ContextType>;
  LegacyTimes?: LegacyTimesResolvers<ContextType>;
  LegacyTime?: LegacyTimeResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Date?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Count?: GraphQLScalarType;
  Int64?: GraphQLScalarType;
  AgeBand?: GraphQLScalarType;
  SensorPage?: SensorPageResolvers<ContextType>;
  Sensor?: SensorResolvers<ContextType>;
  SensorHealth?: SensorHealthResolvers<ContextType>;
  Vendor?: VendorResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = any> = {
  rows?: RowsDirectiveResolver<any, any, ContextType>;
};
