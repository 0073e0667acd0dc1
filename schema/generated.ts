/* Made by `npm run generate` from the .graphql files. Not edited by hand. */
import type { GraphQLResolveInfo, GraphQLScalarType, GraphQLScalarTypeConfig } from 'graphql';
export type Maybe<T> = T | null;
export type InputMaybe<T> = Maybe<T>;
export type Omit<T, K extends keyof T> = Pick<T, Exclude<keyof T, K>>;
export type RequireFields<T, K extends keyof T> = Omit<T, K> & { [P in K]-?: NonNullable<T[P]> };
/** All built-in and custom scalars, mapped to their actual values */
export type Scalars = {
  ID: { input: string; output: string; }
  String: { input: string; output: string; }
  Boolean: { input: boolean; output: boolean; }
  Int: { input: number; output: number; }
  Float: { input: number; output: number; }
  /** A calendar date, `YYYY-MM-DD`. */
  Date: { input: string; output: string; }
  /** A point in time in RFC 3339 format. */
  DateTime: { input: string; output: string; }
  /** A non-negative integer that can exceed 32 bits. */
  Count: { input: number; output: number; }
  /** An object of text by name. */
  ExternalIds: { input: Record<string, string>; output: Record<string, string>; }
  /** Age band: 12-17, 18-24, 25-34, 35-44, 45-54, 55-64, 65+ or unknown. */
  AgeBand: { input: string; output: string; }
};

/** The impressions of all assets that match a filter, over a range of local days. Each asset's days are in its own time zone. */
export type GroupImpressions = {
  /** The sum over all assets; 0 without data. */
  total: Scalars['Count']['output'];
  /**
   * The first assets in an order, by default those with the most impressions, without those that have no data. `limit` is 1 to 500.
   * With `against`, each is compared with itself in that range.
   */
  top: Array<GroupAsset>;
  /** Compares the assets with themselves in another range of days. */
  compare: Comparison;
};


/** The impressions of all assets that match a filter, over a range of local days. Each asset's days are in its own time zone. */
export type GroupImpressionsTopArgs = {
  limit?: Scalars['Int']['input'];
  against?: InputMaybe<DateRange>;
  sort?: InputMaybe<SumSort>;
};


/** The impressions of all assets that match a filter, over a range of local days. Each asset's days are in its own time zone. */
export type GroupImpressionsCompareArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** A range of local days of each asset, both inclusive. At most 3,660 days. */
export type DateRange = {
  /** First day of the range. */
  fromDate: Scalars['Date']['input'];
  /** Last day of the range. */
  toDate: Scalars['Date']['input'];
};

/** An order of sums of assets. Those without the figure come last, ties by id. */
export type SumSort = {
  /** The figure to sort by. */
  by?: SumOrder;
  /** Whether the largest figure comes first. */
  descending?: Scalars['Boolean']['input'];
};

/** The figures by which sums of assets are sorted. */
export type SumOrder =
  /** Impressions of the range. */
  | 'impressions'
  /** The difference of the average per day with data from that of `against`. */
  | 'change'
  /** The same as a fraction of the average of `against`. */
  | 'change_rate';

/** The grains at which a group of assets in several time zones can be summed. */
export type GroupGrain =
  /** One local day. */
  | 'day'
  /** One week, Monday to Sunday (ISO 8601). */
  | 'week'
  /** One calendar month. */
  | 'month'
  /** One calendar quarter. */
  | 'quarter';

/** The attributes by which the rows of aggregated impressions are grouped. */
export type AggregateGroup =
  /** The country. */
  | 'country'
  /** The country and region. */
  | 'region'
  /** The country, region and city. */
  | 'city'
  /** The media type. */
  | 'media_type'
  /** The format. */
  | 'format'
  /** Each asset by itself. */
  | 'asset';

/** The impressions of all assets that match a filter, as a table. */
export type AggregateImpressions = {
  /**
   * One row per bucket and group, also for groups without data; sorted by start, then by the attributes, null last. With
   * `groupBy: asset` one row per asset: most impressions first, those without data last, ties by id.
   */
  rows: Array<AggregateRow>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per row with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
  /** The number of assets that match the filter, with or without data. */
  assetCount: Scalars['Int']['output'];
};

/** A row of aggregated impressions. The fields of attributes by which it is not grouped are null. */
export type AggregateRow = {
  /** The first day that the bucket covers; null with `groupBy: asset`. */
  start: Maybe<Scalars['Date']['output']>;
  /** ISO 3166-1 alpha-2 country code. */
  country: Maybe<Scalars['String']['output']>;
  /** ISO 3166-2 region code. */
  region: Maybe<Scalars['String']['output']>;
  /** City. */
  city: Maybe<Scalars['String']['output']>;
  /** Media type. */
  mediaType: Maybe<MediaType>;
  /** Format. */
  format: Maybe<AssetFormat>;
  /** The id of the asset, with `groupBy: asset`. */
  assetId: Maybe<Scalars['ID']['output']>;
  /** The sum over the assets of the group; null if none has data. */
  impressions: Maybe<Scalars['Count']['output']>;
  /** The number of assets with data. */
  assetsWithData: Scalars['Int']['output'];
  /** The number of days with data, with `groupBy: asset`; otherwise null. */
  daysWithData: Maybe<Scalars['Int']['output']>;
  /** Fraction of the expected sensor intervals of all assets of the group that were observed, 0 to 1, 4 decimals; 0 if none were expected; null if impressions of an earlier time are shown and none are expected now. */
  coverage: Maybe<Scalars['Float']['output']>;
};

/** The impressions of one asset in a group. */
export type GroupAsset = {
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The name of the asset. */
  name: Scalars['String']['output'];
  /** The asset's impressions in the range. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the group's total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
  /** The number of days with data. */
  daysWithData: Scalars['Int']['output'];
  /** Fraction of the expected sensor intervals that were observed, 0 to 1, 4 decimals; 0 if none were expected. */
  coverage: Maybe<Scalars['Float']['output']>;
  /** The asset's impressions in the range of `against`; null without it, or without data in it. */
  comparedWith: Maybe<Scalars['Count']['output']>;
  /** The number of days with data in the range of `against`; null without it. */
  comparedDaysWithData: Maybe<Scalars['Int']['output']>;
  /** `coverage` in the range of `against`; null without it. */
  comparedCoverage: Maybe<Scalars['Float']['output']>;
  /**
   * The average per day with data minus that in the range of `against`, 2 decimals: days without data are no change. Null if the asset has
   * no data in one of the ranges.
   */
  change: Maybe<Scalars['Float']['output']>;
  /** `change` divided by the average in the range of `against`, 4 decimals; null without a change, or if that average is 0. */
  changeRate: Maybe<Scalars['Float']['output']>;
};

/** The impressions of assets in two ranges of days, compared. */
export type Comparison = {
  /** Impressions of the requested range. */
  impressions: Scalars['Count']['output'];
  /** The number of days with data, of all assets. */
  daysWithData: Scalars['Int']['output'];
  /** Fraction of the expected sensor intervals that were observed, 0 to 1, 4 decimals; 0 if none were expected. */
  coverage: Maybe<Scalars['Float']['output']>;
  /** Impressions of the range it is compared with. */
  comparedWith: Scalars['Count']['output'];
  /** The number of days with data in that range, of all assets. */
  comparedDaysWithData: Scalars['Int']['output'];
  /** `coverage` in that range. */
  comparedCoverage: Maybe<Scalars['Float']['output']>;
  /**
   * The sum over the assets with data in both ranges: the average of each per day with data minus that in the other range, 2 decimals.
   * Days without data, and assets that came or went, are no change. Null if no asset has data in both.
   */
  change: Maybe<Scalars['Float']['output']>;
  /** `change` divided by the sum of the averages in the other range, 4 decimals; null without a change, or if that is 0. */
  changeRate: Maybe<Scalars['Float']['output']>;
};

/** One page of assets. */
export type AssetPage = {
  /** The assets of this page. */
  nodes: Array<Asset>;
  /** Whether more assets follow this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The position of the last asset on this page, which without `sort` is its id; null if the page is empty. Pass it as `after` to get the next page. */
  last: Maybe<Scalars['ID']['output']>;
  /** The number of assets that match the filter, on all pages. */
  count: Scalars['Int']['output'];
  /** The impressions of all assets that match the filter, not only of this page. */
  impressions: GroupImpressions;
  /** The stretches without counts of the assets of this page, by asset, time and sensor, with the reason of each. At most 10,000. */
  gaps: Array<Gap>;
};


/** One page of assets. */
export type AssetPageImpressionsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/** One page of assets. */
export type AssetPageGapsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** Selects assets. An asset must match every condition; a list of values matches if one of them does. */
export type AssetFilter = {
  /** Asset ids. */
  id?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** Company ids. */
  companyId?: InputMaybe<Array<Scalars['ID']['input']>>;
  /** ISO 3166-1 alpha-2 country codes. */
  country?: InputMaybe<Array<Scalars['String']['input']>>;
  /** ISO 3166-2 region codes. */
  region?: InputMaybe<Array<Scalars['String']['input']>>;
  /** City names; exact match. */
  city?: InputMaybe<Array<Scalars['String']['input']>>;
  /** OpenOOH venue type ids. */
  venueTypeId?: InputMaybe<Array<Scalars['Int']['input']>>;
  /** Media types. */
  mediaType?: InputMaybe<Array<MediaType>>;
  /** Formats. */
  format?: InputMaybe<Array<AssetFormat>>;
  /** Statuses. */
  status?: InputMaybe<Array<AssetStatus>>;
  /** Ids in other systems; exact match. */
  externalId?: InputMaybe<Array<ExternalId>>;
  /** Text that the name contains; case-insensitive. */
  nameContains?: InputMaybe<Scalars['String']['input']>;
  /** A bounding box that contains the asset. */
  box?: InputMaybe<BoundingBox>;
  /** A circle that contains the asset. */
  near?: InputMaybe<Near>;
  /** Whether the asset has a sensor of the service's own vendor. */
  hasOwnSensor?: InputMaybe<Scalars['Boolean']['input']>;
  /** Only assets whose record changed at this time or later. */
  updatedSince?: InputMaybe<Scalars['DateTime']['input']>;
};

/** The id of an asset in another system, such as an ad server or a marketplace. */
export type ExternalId = {
  /** The name of the system, as in `externalIds`. */
  system: Scalars['String']['input'];
  /** The id of the asset there. */
  id: Scalars['String']['input'];
};

/** A bounding box in degrees. If it crosses the antimeridian, `west` is greater than `east`. */
export type BoundingBox = {
  /** Lowest latitude. */
  south: Scalars['Float']['input'];
  /** Western longitude. */
  west: Scalars['Float']['input'];
  /** Highest latitude. */
  north: Scalars['Float']['input'];
  /** Eastern longitude. */
  east: Scalars['Float']['input'];
};

/** A circle around a point. */
export type Near = {
  /** Latitude of the center, in degrees. */
  latitude: Scalars['Float']['input'];
  /** Longitude of the center, in degrees. */
  longitude: Scalars['Float']['input'];
  /** Radius in meters, measured along the earth's surface. */
  meters: Scalars['Float']['input'];
};

/** A physical advertising face, such as a billboard or a bus shelter panel. */
export type Asset = {
  /** Unique identifier of the asset. */
  id: Scalars['ID']['output'];
  /** The asset's integer id in the legacy interface; null if it has none. */
  legacyId: Maybe<Scalars['Int']['output']>;
  /** The id of the company that owns the asset. */
  companyId: Scalars['ID']['output'];
  /** The company's name for the asset. */
  name: Scalars['String']['output'];
  /** Free-text description. */
  description: Maybe<Scalars['String']['output']>;
  /** Whether the face is digital or static. */
  mediaType: MediaType;
  /** The kind of advertising face. */
  format: AssetFormat;
  /** OpenOOH venue type id. `venueTaxonomy` says of which version. */
  venueTypeId: Maybe<Scalars['Int']['output']>;
  /** Whether the asset is in use. */
  status: AssetStatus;
  /** Whether the asset is indoors. */
  indoors: Scalars['Boolean']['output'];
  /** The direction the face points to, in degrees clockwise from north (0-359). */
  facingDegrees: Maybe<Scalars['Int']['output']>;
  /** Width of the face in meters. */
  widthM: Maybe<Scalars['Float']['output']>;
  /** Height of the face in meters. */
  heightM: Maybe<Scalars['Float']['output']>;
  /** WGS 84 latitude in degrees. */
  latitude: Scalars['Float']['output'];
  /** WGS 84 longitude in degrees. */
  longitude: Scalars['Float']['output'];
  /** Street address. */
  address: Maybe<Scalars['String']['output']>;
  /** City. */
  city: Maybe<Scalars['String']['output']>;
  /** ISO 3166-2 region code. */
  region: Maybe<Scalars['String']['output']>;
  /** Postal code. */
  postalCode: Maybe<Scalars['String']['output']>;
  /** ISO 3166-1 alpha-2 country code. */
  country: Scalars['String']['output'];
  /** IANA time zone of the asset. Its days and hours are local to this zone. */
  timeZone: Scalars['String']['output'];
  /** The finest grain that all of the asset's sensors deliver; null without sensors. */
  finestGrain: Maybe<NativeGrain>;
  /** The ids of the sensors installed on the asset, ascending. */
  sensorIds: Array<Scalars['ID']['output']>;
  /** The first local date with counts; null without counts. */
  measuredFrom: Maybe<Scalars['Date']['output']>;
  /** The last local date with counts; null without counts. */
  measuredTo: Maybe<Scalars['Date']['output']>;
  /** The time at which the asset was created. */
  createdAt: Scalars['DateTime']['output'];
  /** The time at which the asset's record last changed. */
  updatedAt: Scalars['DateTime']['output'];
  /** The version of OpenOOH's venue taxonomy that has the venue type id: 1.0, 1.1 or 1.2.1; null where it is not stated. */
  venueTaxonomy: Maybe<Scalars['String']['output']>;
  /** The ids of the asset in other systems, by the name of the system. */
  externalIds: Scalars['ExternalIds']['output'];
  /** The company that owns the asset. */
  company: Company;
  /** The sensors installed on the asset, by ascending id. */
  sensors: Array<Sensor>;
  /** The sensors that counted on the asset, and when: by `from`, then by sensor id. */
  installations: Array<Installation>;
  /** The asset's impressions on the local days from `fromDate` to `toDate`, both inclusive. */
  impressions: Impressions;
  /** The impressions of the asset by age and gender on the local days from `fromDate` to `toDate`, both inclusive. */
  demographics: AssetDemographics;
};


/** A physical advertising face, such as a billboard or a bus shelter panel. */
export type AssetImpressionsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/** A physical advertising face, such as a billboard or a bus shelter panel. */
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
  /** A face on or in vehicles and stations. */
  | 'transit'
  /** A face on a kiosk, bench, column or the like. */
  | 'street_furniture'
  /** A face inside a venue such as a shop, gym or cinema. */
  | 'place_based'
  /** Any other kind. */
  | 'other';

/** Whether an asset is in use. */
export type AssetStatus =
  /** In use. */
  | 'active'
  /** Temporarily not in use. */
  | 'inactive'
  /** Removed; listed for its history. */
  | 'archived';

/** One page of the feed of changes. */
export type ChangePage = {
  /** The changes, sorted by asset id and kind. */
  nodes: Array<Change>;
  /** Whether more changes follow this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The position after this page. Pass it as `after` to get the next page, or later to get the changes since then. */
  next: Scalars['ID']['output'];
};

/** A part of the data that a copy has to read again. Repeated changes of a kind are merged by asset and month. */
export type Change = {
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The kind of data that changed. */
  kind: ChangeKind;
  /** The first local day that changed; null for records. */
  fromDate: Maybe<Scalars['Date']['output']>;
  /** The last local day that changed, in the same calendar month; null for records. */
  toDate: Maybe<Scalars['Date']['output']>;
  /** The time of the last change. */
  changedAt: Scalars['DateTime']['output'];
};

/** A kind of changes. */
export type ChangeKind =
  /** The record of the asset. */
  | 'asset'
  /** Demographics of the asset. */
  | 'demographics'
  /** Impressions of the asset, or their coverage. */
  | 'impressions'
  /** The notes on the data of the asset. Only readers who name this kind get it. */
  | 'notes'
  /** The impressions of the asset by home region and city. */
  | 'origins'
  /** The asset was deleted, or is no longer in scope. */
  | 'removed'
  /** The records of the asset's sensors, except for their health. */
  | 'sensors';

/** The API version and the scope of the API key. */
export type Meta = {
  /** API version: `v1`. */
  version: Scalars['String']['output'];
  /** The path of the methodology: how impressions are measured. */
  methodology: Scalars['String']['output'];
  /** The companies whose data the key can read, by ascending id; empty if the key has no company. */
  companies: Array<Company>;
  /** The key with which the request was made. */
  key: ApiKey;
};

/** An API key. */
export type ApiKey = {
  /** The name that the operator gave it; null for none. */
  label: Maybe<Scalars['String']['output']>;
  /** The environment whose data it reads. */
  environment: Environment;
  /** What it may do besides reading its companies, such as `partner:metrics:legacy:read`. */
  scopes: Array<Scalars['String']['output']>;
  /** Its rate limit: requests per window, such as `600/min`. */
  rate: Scalars['String']['output'];
  /** From when on it is not valid; null if it does not expire. */
  expiresAt: Maybe<Scalars['DateTime']['output']>;
};

/** The environment of a service and its keys. */
export type Environment =
  /** For tests; its keys start with `msk_test_`. */
  | 'dev'
  /** Its keys start with `msk_live_`. */
  | 'production';

/** A tenant. Every asset belongs to one company. */
export type Company = {
  /** Unique identifier of the company. */
  id: Scalars['ID']['output'];
  /** The company's name. */
  name: Scalars['String']['output'];
  /** The last day of the last closed month: up to it, totals are final, and later days are provisional. Null without a closed month. */
  finalThrough: Maybe<Scalars['Date']['output']>;
};

/** The impressions of one asset by age and gender. Every list contains all groups in a fixed order; a group without impressions has 0. */
export type AssetDemographics = {
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The number of days with demographics, which may be fewer than those with impressions. */
  daysWithData: Scalars['Int']['output'];
  /** First day of the range, inclusive. */
  fromDate: Scalars['Date']['output'];
  /** Last day of the range, inclusive. */
  toDate: Scalars['Date']['output'];
  /** The sum of all groups. */
  total: Scalars['Count']['output'];
  /** Whether the groups are withheld because `total` is below 50. If true, the lists are empty. */
  suppressed: Scalars['Boolean']['output'];
  /** Impressions by gender: male, female, unknown. */
  gender: Array<GenderGroup>;
  /** Impressions by age band, youngest first, unknown last. */
  age: Array<AgeGroup>;
  /** Impressions by age band and gender, sorted by age band, then gender. */
  ageGender: Array<AgeGenderGroup>;
};

/** The impressions of several assets by age and gender. Shares are calculated from the summed counts. */
export type AggregateDemographics = {
  /** The number of assets with data in the range. */
  assetCount: Scalars['Int']['output'];
  /** First day of the range, inclusive. */
  fromDate: Scalars['Date']['output'];
  /** Last day of the range, inclusive. */
  toDate: Scalars['Date']['output'];
  /** The sum of all groups. */
  total: Scalars['Count']['output'];
  /** Whether the groups are withheld because `total` is below 50. If true, the lists are empty. */
  suppressed: Scalars['Boolean']['output'];
  /** Impressions by gender: male, female, unknown. */
  gender: Array<GenderGroup>;
  /** Impressions by age band, youngest first, unknown last. */
  age: Array<AgeGroup>;
  /** Impressions by age band and gender, sorted by age band, then gender. */
  ageGender: Array<AgeGenderGroup>;
};

/** Gender. */
export type Gender =
  /** Male. */
  | 'male'
  /** Female. */
  | 'female'
  /** Unknown. */
  | 'unknown';

/** The impressions of one gender. */
export type GenderGroup = {
  /** The gender. */
  gender: Gender;
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** The impressions of one age band. */
export type AgeGroup = {
  /** The age band. */
  ageBand: Scalars['AgeBand']['output'];
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** The impressions of one age band and gender. */
export type AgeGenderGroup = {
  /** The age band. */
  ageBand: Scalars['AgeBand']['output'];
  /** The gender. */
  gender: Gender;
  /** Impressions of the group. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/**
 * The impressions of one asset over a range of local days. Each field is null if the asset is unknown or out of scope.
 * A day, hour or bucket in which no sensor reported has null impressions; 0 means that sensors observed no one.
 */
export type Impressions = {
  /** The whole range in one row. At most 3,660 days. With `asOf`, as it was at that time. */
  summary: Maybe<ImpressionsSummaries>;
  /** One row per day. At most 3,660 days. With `asOf`, as they were at that time. */
  daily: Maybe<DailyImpressions>;
  /**
   * One row per bucket. At most 7 days at `minute`, 105 at `quarter_hour`, 420 at `hour`, and 3,660 at coarser grains. With `asOf`, for
   * days and longer, as they were at that time.
   */
  timeseries: Maybe<ImpressionsSeries>;
  /** The typical week: one row per hour of the week. At most 420 days. With `seconds` (1 to 86,400), each row has `audience`: people per play of so many seconds. */
  profile: Maybe<ImpressionsProfile>;
  /** One row per home region, most impressions first. At most 3,660 days. */
  byRegion: Maybe<ImpressionsByRegion>;
  /** One row per home city, most impressions first. At most 3,660 days. */
  byCity: Maybe<ImpressionsByCity>;
  /** The stretches of the range without counts, by time and sensor, with the reason of each. At most 3,660 days and 1,000 rows. */
  gaps: Maybe<ImpressionsGaps>;
};


/**
 * The impressions of one asset over a range of local days. Each field is null if the asset is unknown or out of scope.
 * A day, hour or bucket in which no sensor reported has null impressions; 0 means that sensors observed no one.
 */
export type ImpressionsSummaryArgs = {
  asOf?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * The impressions of one asset over a range of local days. Each field is null if the asset is unknown or out of scope.
 * A day, hour or bucket in which no sensor reported has null impressions; 0 means that sensors observed no one.
 */
export type ImpressionsDailyArgs = {
  asOf?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * The impressions of one asset over a range of local days. Each field is null if the asset is unknown or out of scope.
 * A day, hour or bucket in which no sensor reported has null impressions; 0 means that sensors observed no one.
 */
export type ImpressionsTimeseriesArgs = {
  grain: Grain;
  asOf?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * The impressions of one asset over a range of local days. Each field is null if the asset is unknown or out of scope.
 * A day, hour or bucket in which no sensor reported has null impressions; 0 means that sensors observed no one.
 */
export type ImpressionsProfileArgs = {
  seconds?: InputMaybe<Scalars['Int']['input']>;
};

/** The length of a bucket. Weeks begin on Monday. The first and last week, month or quarter are cut at the ends of the range. */
export type Grain =
  /** One minute. Available only if all sensors in the range are of the service's own vendor. */
  | 'minute'
  /** 15 minutes. */
  | 'quarter_hour'
  /** One clock hour. */
  | 'hour'
  /** One local day. */
  | 'day'
  /** One week, Monday to Sunday (ISO 8601). */
  | 'week'
  /** One calendar month. */
  | 'month'
  /** One calendar quarter. */
  | 'quarter';

/** The summary of a range. */
export type ImpressionsSummaries = {
  /** Exactly one row. */
  rows: Array<ImpressionsSummary>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per day with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
};

/** Totals of a range of days. */
export type ImpressionsSummary = {
  /** First day of the range, inclusive. */
  fromDate: Scalars['Date']['output'];
  /** Last day of the range, inclusive. */
  toDate: Scalars['Date']['output'];
  /** The number of days in the range. */
  days: Scalars['Int']['output'];
  /** The number of days with data. */
  daysWithData: Scalars['Int']['output'];
  /** The sum of the range; 0 also without data, which `daysWithData` shows. */
  impressions: Scalars['Count']['output'];
  /** Average impressions per day with data, 2 decimals; 0 without data. */
  averageDailyImpressions: Scalars['Float']['output'];
  /** The day with the most impressions, the earliest one in a tie; null without data. */
  busiestDate: Maybe<Scalars['Date']['output']>;
  /** Impressions of the busiest day; null without data. */
  busiestDateImpressions: Maybe<Scalars['Count']['output']>;
  /** Fraction of the expected sensor intervals that were observed, 0 to 1, 4 decimals; 0 if none were expected; null if impressions of an earlier time are shown and none are expected now. */
  coverage: Maybe<Scalars['Float']['output']>;
};

/** A range, one row per day. */
export type DailyImpressions = {
  /** One row per day, in chronological order. */
  rows: Array<DayOfImpressions>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per day with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
};

/** One local day. */
export type DayOfImpressions = {
  /** The local day. */
  date: Scalars['Date']['output'];
  /** Impressions of the day; null if no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
  /** Fraction of the expected sensor intervals that were observed, 0 to 1, 4 decimals; 0 if none were expected; null if impressions of an earlier time are shown and none are expected now. */
  coverage: Maybe<Scalars['Float']['output']>;
};

/** A range, one row per bucket. */
export type ImpressionsSeries = {
  /** One row per bucket, in chronological order. */
  rows: Array<BucketOfImpressions>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per bucket with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
};

/** One bucket. */
export type BucketOfImpressions = {
  /** Start of the part of the bucket that is in the range, with the asset's UTC offset at that time. */
  start: Scalars['DateTime']['output'];
  /** Impressions of the bucket; null if no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
  /** Fraction of the expected sensor intervals that were observed, 0 to 1, 4 decimals; 0 if none were expected; null if impressions of an earlier time are shown and none are expected now. */
  coverage: Maybe<Scalars['Float']['output']>;
};

/** The typical week of a range. */
export type ImpressionsProfile = {
  /** 168 rows, from Monday 00:00 to Sunday 23:00. */
  rows: Array<HourOfWeek>;
  /** Impressions in the range; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per hour with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
};

/**
 * One hour of the week. An hour counts towards the hour that the local clock shows at its start: when clocks go back, the
 * repeated hour counts twice.
 */
export type HourOfWeek = {
  /** 1 (Monday) to 7 (Sunday). */
  weekday: Scalars['Int']['output'];
  /** 0 to 23. */
  hour: Scalars['Int']['output'];
  /** Average impressions per hour with data, 2 decimals; null without data. */
  averageImpressions: Maybe<Scalars['Float']['output']>;
  /** The number of hours with data, shorter ones included. */
  hoursObserved: Scalars['Int']['output'];
  /** Fraction of the sum of all averages, 0 to 1, 4 decimals; 0 without data. */
  share: Scalars['Float']['output'];
  /** People per play in a loop of `seconds`: `averageImpressions` × `seconds` ÷ 3600, 4 decimals; null without data. OpenRTB's `qty.multiplier` and OpenOOH's `imp_x`, of location traffic; no audience in the MRC's sense. */
  audience: Maybe<Scalars['Float']['output']>;
};

/** A range, one row per home region of the people who were counted. */
export type ImpressionsByRegion = {
  /** One row per region, sorted by impressions (descending), country and region. */
  rows: Array<RegionOfImpressions>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per day with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
  /** The number of days with origins, which may be fewer than those with impressions. */
  daysWithData: Scalars['Int']['output'];
};

/** The impressions of people who live in one region. */
export type RegionOfImpressions = {
  /** ISO 3166-1 alpha-2 country code. */
  country: Scalars['String']['output'];
  /** ISO 3166-2 region code. */
  region: Scalars['String']['output'];
  /** Impressions of people who live there. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** A range, one row per home city of the people who were counted. */
export type ImpressionsByCity = {
  /** One row per city, sorted by impressions (descending), country, region and city. */
  rows: Array<CityOfImpressions>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per day with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
  /** The number of days with origins, which may be fewer than those with impressions. */
  daysWithData: Scalars['Int']['output'];
};

/** The impressions of people who live in one city. */
export type CityOfImpressions = {
  /** ISO 3166-1 alpha-2 country code. */
  country: Scalars['String']['output'];
  /** ISO 3166-2 region code. */
  region: Scalars['String']['output'];
  /** City. */
  city: Scalars['String']['output'];
  /** Impressions of people who live there. */
  impressions: Scalars['Count']['output'];
  /** Fraction of the total, 0 to 1, 4 decimals. */
  share: Scalars['Float']['output'];
};

/** A range, one row per stretch without counts. */
export type ImpressionsGaps = {
  /** One row per stretch, sorted by its begin, then by sensor. Together they are the intervals that coverage misses, future ones included, and the times without a sensor. */
  rows: Array<Gap>;
};

/** A stretch in which a sensor has no counts, or an asset has no sensor. */
export type Gap = {
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The id of the sensor; null for a time without one. */
  sensorId: Maybe<Scalars['ID']['output']>;
  /** The begin of the first missing interval, with the asset's UTC offset at that time. */
  from: Scalars['DateTime']['output'];
  /** The end of the last missing interval, exclusive, with the asset's UTC offset at that time. */
  to: Scalars['DateTime']['output'];
  /** The number of native intervals that were expected of the sensor; 0 without one. */
  expected: Scalars['Int']['output'];
  /** The number of native intervals without a count: in a gap, all that were expected. */
  missing: Scalars['Int']['output'];
  /** Why there are no counts. */
  reason: GapReason;
};

/** Why there are no counts: the first of these that applies. */
export type GapReason =
  /** The asset had no sensor. */
  | 'no_sensor'
  /** The counts cannot be used, and are kept apart. */
  | 'set_aside'
  /** The sensor's health checks say that it was offline. */
  | 'sensor_offline'
  /** There were more counts of the day, which were removed. */
  | 'erased'
  /** The sensor has delivered nothing newer on assets in scope. So it is for intervals of the future. */
  | 'not_delivered'
  /** Nothing is known: the sensor has delivered newer counts on assets in scope. */
  | 'unknown';

/** An asset in the list of the legacy interface. */
export type LegacyAsset = {
  /** The asset's integer id in the legacy interface. */
  legacyId: Scalars['Int']['output'];
  /** The asset's id. */
  id: Scalars['ID']['output'];
  /** The asset's name. */
  name: Scalars['String']['output'];
  /** The name of the company that owns the asset. */
  company: Scalars['String']['output'];
};

/** The description of an asset in metrics responses of the legacy interface. */
export type LegacyAssetState = {
  /** The asset's name. */
  name: Scalars['String']['output'];
  /** The asset's location. */
  center: LegacyCenter;
  /** The serial numbers of the asset's sensors, ascending. */
  deviceIds: Array<Scalars['String']['output']>;
  /** The worst status of the asset's sensors. */
  sensorStatus: LegacySensorStatus;
};

/** A WGS 84 location. */
export type LegacyCenter = {
  /** Latitude in degrees. */
  lat: Scalars['Float']['output'];
  /** Longitude in degrees. */
  lng: Scalars['Float']['output'];
};

/** The worst status of an asset's sensors. */
export type LegacySensorStatus =
  /** All sensors work. */
  | 'online'
  /** At least one sensor works with errors, or its health check is overdue. */
  | 'degraded'
  /** At least one sensor does not work. */
  | 'offline'
  /** Unknown, or the asset has no sensors. */
  | 'unknown';

/** The impressions of one asset in the form of the legacy interface. Each field is null if the asset is unknown or out of scope. */
export type LegacyMetrics = {
  /** One row per day. At most 3,660 days. */
  daily: Maybe<DailyImpressions>;
  /** One row per bucket of the finest grain that the asset's sensors deliver in the range. At most 7 days. */
  finest: Maybe<LegacyTimes>;
};

/** A range, one row per bucket, labelled with the local time. */
export type LegacyTimes = {
  /** One row per bucket, in chronological order. */
  rows: Array<LegacyTime>;
  /** The sum of all rows; 0 without data. */
  total: Scalars['Count']['output'];
  /** Average impressions per bucket with data, 2 decimals; 0 without data. */
  average: Scalars['Float']['output'];
};

/** One bucket, labelled with the local time. The hour that is repeated when clocks go back appears twice. */
export type LegacyTime = {
  /** Local time, `HH:MM`. */
  time: Scalars['String']['output'];
  /** Impressions of the bucket; null if no sensor reported. */
  impressions: Maybe<Scalars['Count']['output']>;
};

/** The measurement of impressions. Of what the operator states, null means that nothing was stated, and an empty list none. */
export type Methodology = {
  /** The version of this methodology: the date from which on it applies. */
  version: Scalars['String']['output'];
  /** The standards whose terms are used. */
  standard: Array<MethodologyStandard>;
  /** The level of the counts among the standard's levels of exposure. */
  level: MethodologyLevel;
  /** The company that provides the counts, in the sense of OpenOOH. */
  provider: Maybe<Scalars['String']['output']>;
  /** The sources of the data, in general terms if the operator has stated none. */
  sources: Array<MethodologySource>;
  /** The accuracy of the sensors. */
  accuracy: Maybe<Array<MethodologyAccuracy>>;
  /** The areas in which sensors count, by the assets that have them, such as those of a format. */
  exposureZones: Maybe<Array<MethodologyTerm>>;
  /** The adjustments that were made to counts before they came to this service, which makes none. */
  adjustments: Maybe<Array<MethodologyAdjustment>>;
  /** The audits of the measurement. */
  audits: Maybe<Array<MethodologyAudit>>;
  /** The treatment of counts that cannot be trusted, the terms of the rules that find them, and the rules with their thresholds. */
  qualityControl: Array<MethodologyTerm>;
  /** The measures of the industry, those that are not available too. */
  measures: Array<MethodologyMeasure>;
  /** The difference between missing data and a count of zero. */
  missing: Scalars['String']['output'];
  /** The rule by which groups of people are withheld. */
  suppression: MethodologySuppression;
  /** The reasons why counts of the past change, and the way in which a change is reported. */
  restatements: Scalars['String']['output'];
  /** The measurement of days on which clocks change. */
  clockChanges: Scalars['String']['output'];
};

/** A standard of the industry. */
export type MethodologyStandard = {
  /** The name of the standard. */
  name: Scalars['String']['output'];
  /** The edition that the terms are from. */
  edition: Scalars['String']['output'];
  /** Whether the operator states an audit by this name that led to accreditation. */
  accredited: Scalars['Boolean']['output'];
};

/** A level of exposure. */
export type MethodologyLevel = {
  /** The name of the level: `location_traffic`. */
  name: Scalars['String']['output'];
  /** The meaning of a count at this level. */
  definition: Scalars['String']['output'];
  /** All levels of the standard, the lowest first, with the knowledge that each takes beyond the one before. */
  ladder: Array<MethodologyMeasure>;
};

/** A source of data. */
export type MethodologySource = {
  /** The figures that it is the source of. */
  figure: FactKind;
  /** Its name. */
  name: Scalars['String']['output'];
  /** The way in which its numbers came about. */
  kind: MethodologyDataKind;
  /** Anything else to know about it. */
  description: Maybe<Scalars['String']['output']>;
};

/** The way in which numbers came about. */
export type MethodologyDataKind =
  /** They were observed. */
  | 'measured'
  /** They are the result of a model. */
  | 'modelled'
  /** They replace observations that are missing or were wrong. */
  | 'reconstructed'
  /** The operator does not say. */
  | 'not_stated';

/** A definition. */
export type MethodologyTerm = {
  /** The name of what it defines. */
  name: Scalars['String']['output'];
  /** The definition. */
  definition: Scalars['String']['output'];
};

/** The accuracy of sensors. */
export type MethodologyAccuracy = {
  /** The sensors that it is said of, such as a model. */
  sensors: Scalars['String']['output'];
  /** Their accuracy. */
  accuracy: Scalars['String']['output'];
  /** The method by which it was determined. */
  method: Scalars['String']['output'];
};

/** A change that was made to all counts of some kind. */
export type MethodologyAdjustment = {
  /** Its name. */
  name: Scalars['String']['output'];
  /** The number by which counts were multiplied; null where it is none. */
  factor: Maybe<Scalars['Float']['output']>;
  /** Anything else to know about it. */
  description: Maybe<Scalars['String']['output']>;
};

/** An audit of the measurement. */
export type MethodologyAudit = {
  /** The auditor. */
  auditor: Scalars['String']['output'];
  /** The name of the standard, for those of `standard` as it is spelled there. */
  standard: Scalars['String']['output'];
  /** The day of its result. */
  date: Scalars['Date']['output'];
  /** Whether the measurement was accredited. */
  accredited: Scalars['Boolean']['output'];
};

/** A measure of the industry. */
export type MethodologyMeasure = {
  /** The name of the measure. */
  name: Scalars['String']['output'];
  /** Whether the API has it. */
  available: Scalars['Boolean']['output'];
  /** Its meaning here, or the reason why it is not available. */
  definition: Scalars['String']['output'];
};

/** The rule by which groups of people are withheld. */
export type MethodologySuppression = {
  /** Demographics of fewer impressions have no groups. */
  minimumImpressions: Scalars['Int']['output'];
  /** The rule in words. */
  definition: Scalars['String']['output'];
};

/** One page of notes. */
export type NotePage = {
  /** The notes of this page, sorted by asset id, first day and id. */
  nodes: Array<Note>;
  /** Whether more notes follow this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The position of the last note on this page; null if the page is empty. Pass it as `after` to get the next page. */
  last: Maybe<Scalars['ID']['output']>;
};

/** A remark for readers of an asset's data. A note on a sensor is a note on each asset on which the sensor was installed within its days. The public reason of a restatement is a caveat. */
export type Note = {
  /** The id of the note. A note on a sensor has the same id on each of its assets; what is set aside has one of its own. */
  id: Scalars['ID']['output'];
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The id of the sensor, if the note is on one that is still on an asset of the same company. */
  sensorId: Maybe<Scalars['ID']['output']>;
  /** The first local day. */
  from: Scalars['Date']['output'];
  /** The last local day, inclusive; null for no end. */
  to: Maybe<Scalars['Date']['output']>;
  /** The kind of the note. */
  kind: NoteKind;
  /** The text. */
  text: Scalars['String']['output'];
  /** Whether it is internal: partners do not see it. */
  internal: Scalars['Boolean']['output'];
  /** The time of the last change of the note. */
  updatedAt: Scalars['DateTime']['output'];
};

/** A kind of notes. */
export type NoteKind =
  /** The data of these days are to be read with care. */
  | 'caveat'
  /** The data before the first day and from then on are not comparable. */
  | 'break'
  /** Counts of these days cannot be used, and are set aside: they are missing in all figures. */
  | 'unusable';

/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type Query = {
  /** The API version and the companies that the key can read. */
  meta: Meta;
  /** The measurement of impressions, in the terms of the industry's standards. */
  methodology: Methodology;
  /** Returns one asset; null if it is unknown or out of scope. */
  asset: Maybe<Asset>;
  /** Returns one page of assets, by ascending id; null if an id of the filter is unknown or out of scope. */
  assets: Maybe<AssetPage>;
  /** Returns one page of sensors, by ascending id; null if `assetId` or an id of the filter is unknown or out of scope. */
  sensors: Maybe<SensorPage>;
  /**
   * Returns the parts of the data that a copy has to read again. Without `after` and `since`, everything is listed once. No change
   * is missed, in whatever order transactions commit; the same change can be listed more than once.
   */
  changes: ChangePage;
  /**
   * Returns one page of the notes on the data of assets that apply to days from `fromDate` to `toDate`, both inclusive; null if an id
   * of the filter is unknown or out of scope.
   */
  notes: Maybe<NotePage>;
  /**
   * Returns one page of the changes of totals of local days that were over, on the days from `fromDate` to `toDate`, both inclusive, by
   * time; null if an id of the filter is unknown or out of scope.
   */
  restatements: Maybe<RestatementPage>;
  /** Returns the impressions of one asset on the local days from `fromDate` to `toDate`, both inclusive. */
  impressions: Impressions;
  /**
   * Returns the impressions of all assets that match a filter, on the days from `fromDate` to `toDate`, both inclusive. Each
   * asset's days are in its own time zone. Null if one of the filter's ids is unknown or out of scope.
   */
  impressionsAggregate: Maybe<AggregateImpressions>;
  /** Returns the demographics of one asset on the local days from `fromDate` to `toDate`, both inclusive; null if the asset is unknown or out of scope. */
  demographics: Maybe<AssetDemographics>;
  /**
   * Returns the combined demographics of all assets that match a filter, on the days from `fromDate` to `toDate`, both inclusive. Each
   * asset's days are in its own time zone. Null if one of the filter's ids is unknown or out of scope.
   */
  demographicsAggregate: Maybe<AggregateDemographics>;
  /** Returns all assets in scope that have a legacy id, by ascending legacy id. */
  legacyAssets: Array<LegacyAsset>;
  /** Returns the description of one asset in the form of the legacy interface. `id` is a legacy id or an id. Null if the asset is unknown or out of scope. */
  legacyAsset: Maybe<LegacyAssetState>;
  /** Returns the impressions of one asset on the local days from `fromDate` to `toDate`, both inclusive, in the form of the legacy interface. `id` is a legacy id or an id. */
  legacyMetrics: LegacyMetrics;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryAssetArgs = {
  id: Scalars['ID']['input'];
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryAssetsArgs = {
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  filter?: InputMaybe<AssetFilter>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QuerySensorsArgs = {
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  assetId?: InputMaybe<Scalars['ID']['input']>;
  filter?: InputMaybe<AssetFilter>;
  updatedSince?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryChangesArgs = {
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  since?: InputMaybe<Scalars['DateTime']['input']>;
  kinds?: InputMaybe<Array<ChangeKind>>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryNotesArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  filter?: InputMaybe<AssetFilter>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryRestatementsArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
  since?: InputMaybe<Scalars['DateTime']['input']>;
  limit?: Scalars['Int']['input'];
  after?: InputMaybe<Scalars['ID']['input']>;
  filter?: InputMaybe<AssetFilter>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryImpressionsArgs = {
  assetId: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryImpressionsAggregateArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
  grain?: InputMaybe<GroupGrain>;
  groupBy?: InputMaybe<AggregateGroup>;
  filter?: InputMaybe<AssetFilter>;
  asOf?: InputMaybe<Scalars['DateTime']['input']>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryDemographicsArgs = {
  assetId: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryDemographicsAggregateArgs = {
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
  filter?: InputMaybe<AssetFilter>;
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryLegacyAssetArgs = {
  id: Scalars['ID']['input'];
};


/**
 * All queries return only data of the companies that the API key can read. Anything else is treated as if it did not
 * exist. The fields of one object are read together, from one snapshot of the data. The objects of a list, and fields nested in
 * them, are read later, so that a query that runs during an import can show different states of the data.
 */
export type QueryLegacyMetricsArgs = {
  id: Scalars['ID']['input'];
  fromDate: Scalars['Date']['input'];
  toDate: Scalars['Date']['input'];
};

/** One page of restatements. */
export type RestatementPage = {
  /** The restatements of this page, by time, asset, date and kind. */
  nodes: Array<Restatement>;
  /** Whether more restatements follow this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The position of the last restatement on this page; null if the page is empty. Pass it as `after` to get the next page. */
  last: Maybe<Scalars['ID']['output']>;
};

/**
 * A change of the stored total of a local day, after the day was over and had had a value. A day is over six hours after its end at
 * the asset: what changes before that is how a day is filled.
 */
export type Restatement = {
  /** The id of the asset. */
  assetId: Scalars['ID']['output'];
  /** The kind of data that the total is of. */
  kind: FactKind;
  /** The local day. */
  date: Scalars['Date']['output'];
  /** The total before the change; null for none. */
  previous: Maybe<Scalars['Count']['output']>;
  /** The total after the change; null for none. */
  current: Maybe<Scalars['Count']['output']>;
  /** Native intervals with a count before the change; of impressions. A day that was completed has more of them after it. */
  previousIntervals: Maybe<Scalars['Int']['output']>;
  /** Native intervals with a count after the change. */
  currentIntervals: Maybe<Scalars['Int']['output']>;
  /** When the total changed. */
  restatedAt: Scalars['DateTime']['output'];
  /** Why it changed. */
  reason: RestatementReason;
  /** The operator's note on the change, if it is public. */
  note: Maybe<Scalars['String']['output']>;
  /** Whether the month was closed. */
  final: Scalars['Boolean']['output'];
};

/** The data of which a local day has a total. */
export type FactKind =
  /** Impressions of sensors. */
  | 'impressions'
  /** Impressions by home city. */
  | 'origins'
  /** Impressions by age and gender. */
  | 'demographics';

/** Why a total changed. */
export type RestatementReason =
  /** Other values were imported, or values were erased by an import. */
  | 'import'
  /** Data was deleted. */
  | 'deletion'
  /** Counts were set aside, because they cannot be used. */
  | 'set_aside'
  /** Counts that had been set aside were restored. */
  | 'restored'
  /** A sensor's installation was corrected: its counts moved with it. */
  | 'move'
  /** The time zone of the asset was corrected. */
  | 'time_zone'
  /** The rules of the time zone changed. */
  | 'zone_rules'
  /** A stored total was wrong, and was repaired. */
  | 'repair';

/** One page of sensors. */
export type SensorPage = {
  /** The sensors of this page, by ascending id. */
  nodes: Array<Sensor>;
  /** Whether more sensors follow this page. */
  hasMore: Scalars['Boolean']['output'];
  /** The id of the last sensor on this page; null if the page is empty. Pass it as `after` to get the next page. */
  last: Maybe<Scalars['ID']['output']>;
  /** The number of sensors that match, on all pages. */
  count: Scalars['Int']['output'];
};

/** Hardware that counts the people who pass an asset. A sensor belongs to the company of its asset; one that was removed is not visible. */
export type Sensor = {
  /** Unique identifier of the sensor. */
  id: Scalars['ID']['output'];
  /** The vendor's serial number; unique across all vendors. */
  serial: Scalars['String']['output'];
  /** The vendor's model name. */
  model: Scalars['String']['output'];
  /** The vendor's name. */
  vendor: Scalars['String']['output'];
  /** Whether the vendor is the service's own or a third party. */
  vendorType: VendorType;
  /** The finest grain at which the sensor counts. */
  finestGrain: NativeGrain;
  /** The id of the asset on which the sensor is installed. */
  assetId: Maybe<Scalars['ID']['output']>;
  /** The billing state of the sensor. */
  billableState: BillableState;
  /** The health of the sensor. */
  health: SensorHealth;
  /** The time at which the sensor was installed on the asset. */
  installedAt: Scalars['DateTime']['output'];
  /** The time at which the sensor was removed from the asset; null if it is still installed. */
  removedAt: Maybe<Scalars['DateTime']['output']>;
  /** The time at which the sensor's record last changed. Its health is not part of the record. */
  updatedAt: Scalars['DateTime']['output'];
};

/** The kind of vendor. */
export type VendorType =
  /** The service's own vendor. */
  | 'own'
  /** A third-party vendor. */
  | 'third_party';

/** The interval at which a sensor counts. */
export type NativeGrain =
  /** One minute. */
  | 'minute'
  /** 15 minutes. */
  | 'quarter_hour'
  /** One clock hour. */
  | 'hour'
  /** One local day. */
  | 'day';

/** The billing state of a sensor. */
export type BillableState =
  /** Not yet billed. */
  | 'pending'
  /** Billed. */
  | 'billable'
  /** Billing is paused. */
  | 'suspended'
  /** No longer billed. */
  | 'retired';

/** The health of a sensor. A health check is due every 15 minutes; an overdue check lowers the status. */
export type SensorHealth = {
  /** The result of the last health check, lowered if that check is old: to `degraded` after 30 minutes and to `offline` after 60. `unknown` if the sensor was not checked since its installation. */
  status: HealthStatus;
  /** The time of the last health check since the installation. */
  checkedAt: Maybe<Scalars['DateTime']['output']>;
  /** The time at which the sensor last reported; null if that was before its installation. */
  lastSeenAt: Maybe<Scalars['DateTime']['output']>;
  /** Why the sensor is not healthy; `check_overdue` if the status was lowered because of an old check. */
  reason: Maybe<Scalars['String']['output']>;
  /** The interval between health checks, in minutes. */
  cadenceMinutes: Scalars['Int']['output'];
};

/** The health status of a sensor. */
export type HealthStatus =
  /** The sensor works. */
  | 'healthy'
  /** The sensor works with errors, or its health check is overdue. */
  | 'degraded'
  /** The sensor does not work, or its last health check is more than 60 minutes old. */
  | 'offline'
  /** The sensor was not checked since its installation. */
  | 'unknown';

/** A period in which a sensor counted on an asset. */
export type Installation = {
  /** The id of the sensor. */
  sensorId: Scalars['ID']['output'];
  /** Its serial number; null if its latest installation is another company's. */
  serial: Maybe<Scalars['String']['output']>;
  /** The vendor's present name. */
  vendor: Scalars['String']['output'];
  /** Whether the vendor is the service's own or a third party. */
  vendorType: VendorType;
  /** The vendor's model name. An installation that has ended keeps it, the vendor and the grain, whatever the sensor is now. */
  model: Scalars['String']['output'];
  /** The finest grain at which the sensor counted. */
  finestGrain: NativeGrain;
  /** The time of the installation, with the asset's offset. */
  from: Scalars['String']['output'];
  /** The time of the removal, exclusive, with the asset's offset; null without one. */
  to: Maybe<Scalars['String']['output']>;
};



export type ResolverTypeWrapper<T> = Promise<T> | T;


export type ResolverWithResolve<TResult, TParent, TContext, TArgs> = {
  resolve: ResolverFn<TResult, TParent, TContext, TArgs>;
};
export type Resolver<TResult, TParent = Record<PropertyKey, never>, TContext = Record<PropertyKey, never>, TArgs = Record<PropertyKey, never>> = ResolverFn<TResult, TParent, TContext, TArgs> | ResolverWithResolve<TResult, TParent, TContext, TArgs>;

export type ResolverFn<TResult, TParent, TContext, TArgs> = (
  parent: TParent,
  args: TArgs,
  context: TContext,
  info: GraphQLResolveInfo
) => Promise<TResult> | TResult;

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





/** Mapping between all available schema types and the resolvers types */
export type ResolversTypes = {
  GroupImpressions: ResolverTypeWrapper<{ filter: InputMaybe<AssetFilter>; fromDate: string; toDate: string }>;
  DateRange: DateRange;
  SumSort: SumSort;
  SumOrder: SumOrder;
  GroupGrain: GroupGrain;
  AggregateGroup: AggregateGroup;
  AggregateImpressions: ResolverTypeWrapper<{ rows(): unknown; total: number; average: number; assetCount: number }>;
  AggregateRow: ResolverTypeWrapper<Partial<AggregateRow>>;
  ID: ResolverTypeWrapper<Scalars['ID']['output']>;
  GroupAsset: ResolverTypeWrapper<Omit<GroupAsset, 'name'>>;
  Comparison: ResolverTypeWrapper<Comparison>;
  AssetPage: ResolverTypeWrapper<{ nodes: Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>[]; hasMore: boolean; last: string | null; filter: InputMaybe<AssetFilter> }>;
  AssetFilter: AssetFilter;
  ExternalId: ExternalId;
  BoundingBox: BoundingBox;
  Near: Near;
  Asset: ResolverTypeWrapper<Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>>;
  MediaType: MediaType;
  AssetFormat: AssetFormat;
  AssetStatus: AssetStatus;
  ChangePage: ResolverTypeWrapper<ChangePage>;
  Change: ResolverTypeWrapper<Change>;
  ChangeKind: ChangeKind;
  Meta: ResolverTypeWrapper<Meta>;
  ApiKey: ResolverTypeWrapper<ApiKey>;
  Environment: Environment;
  Company: ResolverTypeWrapper<Company>;
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
  ImpressionsProfile: ResolverTypeWrapper<Omit<ImpressionsProfile, 'rows'> & { rows: Array<ResolversTypes['HourOfWeek']> }>;
  HourOfWeek: ResolverTypeWrapper<Partial<HourOfWeek>>;
  ImpressionsByRegion: ResolverTypeWrapper<ImpressionsByRegion>;
  RegionOfImpressions: ResolverTypeWrapper<RegionOfImpressions>;
  ImpressionsByCity: ResolverTypeWrapper<ImpressionsByCity>;
  CityOfImpressions: ResolverTypeWrapper<CityOfImpressions>;
  ImpressionsGaps: ResolverTypeWrapper<ImpressionsGaps>;
  Gap: ResolverTypeWrapper<Gap>;
  GapReason: GapReason;
  LegacyAsset: ResolverTypeWrapper<LegacyAsset>;
  LegacyAssetState: ResolverTypeWrapper<LegacyAssetState>;
  LegacyCenter: ResolverTypeWrapper<LegacyCenter>;
  LegacySensorStatus: LegacySensorStatus;
  LegacyMetrics: ResolverTypeWrapper<{ id: string; fromDate: string; toDate: string }>;
  LegacyTimes: ResolverTypeWrapper<LegacyTimes>;
  LegacyTime: ResolverTypeWrapper<LegacyTime>;
  Methodology: ResolverTypeWrapper<Methodology>;
  MethodologyStandard: ResolverTypeWrapper<MethodologyStandard>;
  MethodologyLevel: ResolverTypeWrapper<MethodologyLevel>;
  MethodologySource: ResolverTypeWrapper<MethodologySource>;
  MethodologyDataKind: MethodologyDataKind;
  MethodologyTerm: ResolverTypeWrapper<MethodologyTerm>;
  MethodologyAccuracy: ResolverTypeWrapper<MethodologyAccuracy>;
  MethodologyAdjustment: ResolverTypeWrapper<MethodologyAdjustment>;
  MethodologyAudit: ResolverTypeWrapper<MethodologyAudit>;
  MethodologyMeasure: ResolverTypeWrapper<MethodologyMeasure>;
  MethodologySuppression: ResolverTypeWrapper<MethodologySuppression>;
  NotePage: ResolverTypeWrapper<NotePage>;
  Note: ResolverTypeWrapper<Note>;
  NoteKind: NoteKind;
  Query: ResolverTypeWrapper<Record<PropertyKey, never>>;
  Date: ResolverTypeWrapper<Scalars['Date']['output']>;
  DateTime: ResolverTypeWrapper<Scalars['DateTime']['output']>;
  Count: ResolverTypeWrapper<Scalars['Count']['output']>;
  ExternalIds: ResolverTypeWrapper<Scalars['ExternalIds']['output']>;
  AgeBand: ResolverTypeWrapper<Scalars['AgeBand']['output']>;
  RestatementPage: ResolverTypeWrapper<RestatementPage>;
  Restatement: ResolverTypeWrapper<Restatement>;
  FactKind: FactKind;
  RestatementReason: RestatementReason;
  SensorPage: ResolverTypeWrapper<{ nodes: Sensor[]; hasMore: boolean; last: string | null; args: QuerySensorsArgs }>;
  Sensor: ResolverTypeWrapper<Sensor>;
  VendorType: VendorType;
  NativeGrain: NativeGrain;
  BillableState: BillableState;
  SensorHealth: ResolverTypeWrapper<SensorHealth>;
  HealthStatus: HealthStatus;
  Installation: ResolverTypeWrapper<Installation>;
  String: ResolverTypeWrapper<Scalars['String']['output']>;
  Int: ResolverTypeWrapper<Scalars['Int']['output']>;
  Boolean: ResolverTypeWrapper<Scalars['Boolean']['output']>;
  Float: ResolverTypeWrapper<Scalars['Float']['output']>;
};

/** Mapping between all available schema types and the resolvers parents */
export type ResolversParentTypes = {
  GroupImpressions: { filter: InputMaybe<AssetFilter>; fromDate: string; toDate: string };
  DateRange: DateRange;
  SumSort: SumSort;
  AggregateImpressions: { rows(): unknown; total: number; average: number; assetCount: number };
  AggregateRow: Partial<AggregateRow>;
  ID: Scalars['ID']['output'];
  GroupAsset: Omit<GroupAsset, 'name'>;
  Comparison: Comparison;
  AssetPage: { nodes: Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>[]; hasMore: boolean; last: string | null; filter: InputMaybe<AssetFilter> };
  AssetFilter: AssetFilter;
  ExternalId: ExternalId;
  BoundingBox: BoundingBox;
  Near: Near;
  Asset: Omit<Asset, 'company' | 'sensors' | 'installations' | 'impressions' | 'demographics'>;
  ChangePage: ChangePage;
  Change: Change;
  Meta: Meta;
  ApiKey: ApiKey;
  Company: Company;
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
  ImpressionsProfile: Omit<ImpressionsProfile, 'rows'> & { rows: Array<ResolversParentTypes['HourOfWeek']> };
  HourOfWeek: Partial<HourOfWeek>;
  ImpressionsByRegion: ImpressionsByRegion;
  RegionOfImpressions: RegionOfImpressions;
  ImpressionsByCity: ImpressionsByCity;
  CityOfImpressions: CityOfImpressions;
  ImpressionsGaps: ImpressionsGaps;
  Gap: Gap;
  LegacyAsset: LegacyAsset;
  LegacyAssetState: LegacyAssetState;
  LegacyCenter: LegacyCenter;
  LegacyMetrics: { id: string; fromDate: string; toDate: string };
  LegacyTimes: LegacyTimes;
  LegacyTime: LegacyTime;
  Methodology: Methodology;
  MethodologyStandard: MethodologyStandard;
  MethodologyLevel: MethodologyLevel;
  MethodologySource: MethodologySource;
  MethodologyTerm: MethodologyTerm;
  MethodologyAccuracy: MethodologyAccuracy;
  MethodologyAdjustment: MethodologyAdjustment;
  MethodologyAudit: MethodologyAudit;
  MethodologyMeasure: MethodologyMeasure;
  MethodologySuppression: MethodologySuppression;
  NotePage: NotePage;
  Note: Note;
  Query: Record<PropertyKey, never>;
  Date: Scalars['Date']['output'];
  DateTime: Scalars['DateTime']['output'];
  Count: Scalars['Count']['output'];
  ExternalIds: Scalars['ExternalIds']['output'];
  AgeBand: Scalars['AgeBand']['output'];
  RestatementPage: RestatementPage;
  Restatement: Restatement;
  SensorPage: { nodes: Sensor[]; hasMore: boolean; last: string | null; args: QuerySensorsArgs };
  Sensor: Sensor;
  SensorHealth: SensorHealth;
  Installation: Installation;
  String: Scalars['String']['output'];
  Int: Scalars['Int']['output'];
  Boolean: Scalars['Boolean']['output'];
  Float: Scalars['Float']['output'];
};

export type RowsDirectiveArgs = {
  argument?: Maybe<Scalars['String']['input']>;
  most?: Maybe<Scalars['Int']['input']>;
  buckets?: Maybe<Scalars['Boolean']['input']>;
  grain?: Maybe<Grain>;
  reads?: Maybe<Scalars['Float']['input']>;
  readsInAll?: Maybe<Scalars['Int']['input']>;
};

export type RowsDirectiveResolver<Result, Parent, ContextType = any, Args = RowsDirectiveArgs> = DirectiveResolverFn<Result, Parent, ContextType, Args>;

export type GroupImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupImpressions'] = ResolversParentTypes['GroupImpressions']> = {
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  top?: Resolver<Array<ResolversTypes['GroupAsset']>, ParentType, ContextType, RequireFields<GroupImpressionsTopArgs, 'limit'>>;
  compare?: Resolver<ResolversTypes['Comparison'], ParentType, ContextType, RequireFields<GroupImpressionsCompareArgs, 'fromDate' | 'toDate'>>;
};

export type AggregateImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['AggregateImpressions'] = ResolversParentTypes['AggregateImpressions']> = {
  rows?: Resolver<Array<ResolversTypes['AggregateRow']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  assetCount?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type AggregateRowResolvers<ContextType = any, ParentType extends ResolversParentTypes['AggregateRow'] = ResolversParentTypes['AggregateRow']> = {
  start?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  country?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  region?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  city?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  mediaType?: Resolver<Maybe<ResolversTypes['MediaType']>, ParentType, ContextType>;
  format?: Resolver<Maybe<ResolversTypes['AssetFormat']>, ParentType, ContextType>;
  assetId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  assetsWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  daysWithData?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type GroupAssetResolvers<ContextType = any, ParentType extends ResolversParentTypes['GroupAsset'] = ResolversParentTypes['GroupAsset']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  comparedWith?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  comparedDaysWithData?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  comparedCoverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  change?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  changeRate?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type ComparisonResolvers<ContextType = any, ParentType extends ResolversParentTypes['Comparison'] = ResolversParentTypes['Comparison']> = {
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  comparedWith?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  comparedDaysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  comparedCoverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  change?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  changeRate?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type AssetPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['AssetPage'] = ResolversParentTypes['AssetPage']> = {
  nodes?: Resolver<Array<ResolversTypes['Asset']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['GroupImpressions'], ParentType, ContextType, RequireFields<AssetPageImpressionsArgs, 'fromDate' | 'toDate'>>;
  gaps?: Resolver<Array<ResolversTypes['Gap']>, ParentType, ContextType, RequireFields<AssetPageGapsArgs, 'fromDate' | 'toDate'>>;
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
  venueTaxonomy?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  externalIds?: Resolver<ResolversTypes['ExternalIds'], ParentType, ContextType>;
  company?: Resolver<ResolversTypes['Company'], ParentType, ContextType>;
  sensors?: Resolver<Array<ResolversTypes['Sensor']>, ParentType, ContextType>;
  installations?: Resolver<Array<ResolversTypes['Installation']>, ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Impressions'], ParentType, ContextType, RequireFields<AssetImpressionsArgs, 'fromDate' | 'toDate'>>;
  demographics?: Resolver<ResolversTypes['AssetDemographics'], ParentType, ContextType, RequireFields<AssetDemographicsArgs, 'fromDate' | 'toDate'>>;
};

export type ChangePageResolvers<ContextType = any, ParentType extends ResolversParentTypes['ChangePage'] = ResolversParentTypes['ChangePage']> = {
  nodes?: Resolver<Array<ResolversTypes['Change']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  next?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
};

export type ChangeResolvers<ContextType = any, ParentType extends ResolversParentTypes['Change'] = ResolversParentTypes['Change']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['ChangeKind'], ParentType, ContextType>;
  fromDate?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  toDate?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  changedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type MetaResolvers<ContextType = any, ParentType extends ResolversParentTypes['Meta'] = ResolversParentTypes['Meta']> = {
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  methodology?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  companies?: Resolver<Array<ResolversTypes['Company']>, ParentType, ContextType>;
  key?: Resolver<ResolversTypes['ApiKey'], ParentType, ContextType>;
};

export type ApiKeyResolvers<ContextType = any, ParentType extends ResolversParentTypes['ApiKey'] = ResolversParentTypes['ApiKey']> = {
  label?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  environment?: Resolver<ResolversTypes['Environment'], ParentType, ContextType>;
  scopes?: Resolver<Array<ResolversTypes['String']>, ParentType, ContextType>;
  rate?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  expiresAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
};

export type CompanyResolvers<ContextType = any, ParentType extends ResolversParentTypes['Company'] = ResolversParentTypes['Company']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  finalThrough?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
};

export type AssetDemographicsResolvers<ContextType = any, ParentType extends ResolversParentTypes['AssetDemographics'] = ResolversParentTypes['AssetDemographics']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  fromDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  toDate?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  suppressed?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  gender?: Resolver<Array<ResolversTypes['GenderGroup']>, ParentType, ContextType>;
  age?: Resolver<Array<ResolversTypes['AgeGroup']>, ParentType, ContextType>;
  ageGender?: Resolver<Array<ResolversTypes['AgeGenderGroup']>, ParentType, ContextType>;
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
  summary?: Resolver<Maybe<ResolversTypes['ImpressionsSummaries']>, ParentType, ContextType, Partial<ImpressionsSummaryArgs>>;
  daily?: Resolver<Maybe<ResolversTypes['DailyImpressions']>, ParentType, ContextType, Partial<ImpressionsDailyArgs>>;
  timeseries?: Resolver<Maybe<ResolversTypes['ImpressionsSeries']>, ParentType, ContextType, RequireFields<ImpressionsTimeseriesArgs, 'grain'>>;
  profile?: Resolver<Maybe<ResolversTypes['ImpressionsProfile']>, ParentType, ContextType, Partial<ImpressionsProfileArgs>>;
  byRegion?: Resolver<Maybe<ResolversTypes['ImpressionsByRegion']>, ParentType, ContextType>;
  byCity?: Resolver<Maybe<ResolversTypes['ImpressionsByCity']>, ParentType, ContextType>;
  gaps?: Resolver<Maybe<ResolversTypes['ImpressionsGaps']>, ParentType, ContextType>;
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
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type DailyImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['DailyImpressions'] = ResolversParentTypes['DailyImpressions']> = {
  rows?: Resolver<Array<ResolversTypes['DayOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type DayOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['DayOfImpressions'] = ResolversParentTypes['DayOfImpressions']> = {
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type ImpressionsSeriesResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsSeries'] = ResolversParentTypes['ImpressionsSeries']> = {
  rows?: Resolver<Array<ResolversTypes['BucketOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type BucketOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['BucketOfImpressions'] = ResolversParentTypes['BucketOfImpressions']> = {
  start?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  impressions?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  coverage?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type ImpressionsProfileResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsProfile'] = ResolversParentTypes['ImpressionsProfile']> = {
  rows?: Resolver<Array<ResolversTypes['HourOfWeek']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type HourOfWeekResolvers<ContextType = any, ParentType extends ResolversParentTypes['HourOfWeek'] = ResolversParentTypes['HourOfWeek']> = {
  weekday?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  hour?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  averageImpressions?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  hoursObserved?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  audience?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
};

export type ImpressionsByRegionResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsByRegion'] = ResolversParentTypes['ImpressionsByRegion']> = {
  rows?: Resolver<Array<ResolversTypes['RegionOfImpressions']>, ParentType, ContextType>;
  total?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  average?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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
  daysWithData?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type CityOfImpressionsResolvers<ContextType = any, ParentType extends ResolversParentTypes['CityOfImpressions'] = ResolversParentTypes['CityOfImpressions']> = {
  country?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  region?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  city?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  impressions?: Resolver<ResolversTypes['Count'], ParentType, ContextType>;
  share?: Resolver<ResolversTypes['Float'], ParentType, ContextType>;
};

export type ImpressionsGapsResolvers<ContextType = any, ParentType extends ResolversParentTypes['ImpressionsGaps'] = ResolversParentTypes['ImpressionsGaps']> = {
  rows?: Resolver<Array<ResolversTypes['Gap']>, ParentType, ContextType>;
};

export type GapResolvers<ContextType = any, ParentType extends ResolversParentTypes['Gap'] = ResolversParentTypes['Gap']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  sensorId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  to?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  expected?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  missing?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['GapReason'], ParentType, ContextType>;
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

export type MethodologyResolvers<ContextType = any, ParentType extends ResolversParentTypes['Methodology'] = ResolversParentTypes['Methodology']> = {
  version?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  standard?: Resolver<Array<ResolversTypes['MethodologyStandard']>, ParentType, ContextType>;
  level?: Resolver<ResolversTypes['MethodologyLevel'], ParentType, ContextType>;
  provider?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  sources?: Resolver<Array<ResolversTypes['MethodologySource']>, ParentType, ContextType>;
  accuracy?: Resolver<Maybe<Array<ResolversTypes['MethodologyAccuracy']>>, ParentType, ContextType>;
  exposureZones?: Resolver<Maybe<Array<ResolversTypes['MethodologyTerm']>>, ParentType, ContextType>;
  adjustments?: Resolver<Maybe<Array<ResolversTypes['MethodologyAdjustment']>>, ParentType, ContextType>;
  audits?: Resolver<Maybe<Array<ResolversTypes['MethodologyAudit']>>, ParentType, ContextType>;
  qualityControl?: Resolver<Array<ResolversTypes['MethodologyTerm']>, ParentType, ContextType>;
  measures?: Resolver<Array<ResolversTypes['MethodologyMeasure']>, ParentType, ContextType>;
  missing?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  suppression?: Resolver<ResolversTypes['MethodologySuppression'], ParentType, ContextType>;
  restatements?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  clockChanges?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MethodologyStandardResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyStandard'] = ResolversParentTypes['MethodologyStandard']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  edition?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  accredited?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type MethodologyLevelResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyLevel'] = ResolversParentTypes['MethodologyLevel']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  ladder?: Resolver<Array<ResolversTypes['MethodologyMeasure']>, ParentType, ContextType>;
};

export type MethodologySourceResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologySource'] = ResolversParentTypes['MethodologySource']> = {
  figure?: Resolver<ResolversTypes['FactKind'], ParentType, ContextType>;
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['MethodologyDataKind'], ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type MethodologyTermResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyTerm'] = ResolversParentTypes['MethodologyTerm']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MethodologyAccuracyResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyAccuracy'] = ResolversParentTypes['MethodologyAccuracy']> = {
  sensors?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  accuracy?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  method?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MethodologyAdjustmentResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyAdjustment'] = ResolversParentTypes['MethodologyAdjustment']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  factor?: Resolver<Maybe<ResolversTypes['Float']>, ParentType, ContextType>;
  description?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type MethodologyAuditResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyAudit'] = ResolversParentTypes['MethodologyAudit']> = {
  auditor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  standard?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  accredited?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type MethodologyMeasureResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologyMeasure'] = ResolversParentTypes['MethodologyMeasure']> = {
  name?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  available?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type MethodologySuppressionResolvers<ContextType = any, ParentType extends ResolversParentTypes['MethodologySuppression'] = ResolversParentTypes['MethodologySuppression']> = {
  minimumImpressions?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
  definition?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
};

export type NotePageResolvers<ContextType = any, ParentType extends ResolversParentTypes['NotePage'] = ResolversParentTypes['NotePage']> = {
  nodes?: Resolver<Array<ResolversTypes['Note']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type NoteResolvers<ContextType = any, ParentType extends ResolversParentTypes['Note'] = ResolversParentTypes['Note']> = {
  id?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  sensorId?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  from?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['Date']>, ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['NoteKind'], ParentType, ContextType>;
  text?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  internal?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type QueryResolvers<ContextType = any, ParentType extends ResolversParentTypes['Query'] = ResolversParentTypes['Query']> = {
  meta?: Resolver<ResolversTypes['Meta'], ParentType, ContextType>;
  methodology?: Resolver<ResolversTypes['Methodology'], ParentType, ContextType>;
  asset?: Resolver<Maybe<ResolversTypes['Asset']>, ParentType, ContextType, RequireFields<QueryAssetArgs, 'id'>>;
  assets?: Resolver<Maybe<ResolversTypes['AssetPage']>, ParentType, ContextType, RequireFields<QueryAssetsArgs, 'limit'>>;
  sensors?: Resolver<Maybe<ResolversTypes['SensorPage']>, ParentType, ContextType, RequireFields<QuerySensorsArgs, 'limit'>>;
  changes?: Resolver<ResolversTypes['ChangePage'], ParentType, ContextType, RequireFields<QueryChangesArgs, 'limit'>>;
  notes?: Resolver<Maybe<ResolversTypes['NotePage']>, ParentType, ContextType, RequireFields<QueryNotesArgs, 'fromDate' | 'toDate' | 'limit'>>;
  restatements?: Resolver<Maybe<ResolversTypes['RestatementPage']>, ParentType, ContextType, RequireFields<QueryRestatementsArgs, 'fromDate' | 'toDate' | 'limit'>>;
  impressions?: Resolver<ResolversTypes['Impressions'], ParentType, ContextType, RequireFields<QueryImpressionsArgs, 'assetId' | 'fromDate' | 'toDate'>>;
  impressionsAggregate?: Resolver<Maybe<ResolversTypes['AggregateImpressions']>, ParentType, ContextType, RequireFields<QueryImpressionsAggregateArgs, 'fromDate' | 'toDate'>>;
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

export interface ExternalIdsScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['ExternalIds'], any> {
  name: 'ExternalIds';
}

export interface AgeBandScalarConfig extends GraphQLScalarTypeConfig<ResolversTypes['AgeBand'], any> {
  name: 'AgeBand';
}

export type RestatementPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['RestatementPage'] = ResolversParentTypes['RestatementPage']> = {
  nodes?: Resolver<Array<ResolversTypes['Restatement']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
};

export type RestatementResolvers<ContextType = any, ParentType extends ResolversParentTypes['Restatement'] = ResolversParentTypes['Restatement']> = {
  assetId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  kind?: Resolver<ResolversTypes['FactKind'], ParentType, ContextType>;
  date?: Resolver<ResolversTypes['Date'], ParentType, ContextType>;
  previous?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  current?: Resolver<Maybe<ResolversTypes['Count']>, ParentType, ContextType>;
  previousIntervals?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  currentIntervals?: Resolver<Maybe<ResolversTypes['Int']>, ParentType, ContextType>;
  restatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
  reason?: Resolver<ResolversTypes['RestatementReason'], ParentType, ContextType>;
  note?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  final?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
};

export type SensorPageResolvers<ContextType = any, ParentType extends ResolversParentTypes['SensorPage'] = ResolversParentTypes['SensorPage']> = {
  nodes?: Resolver<Array<ResolversTypes['Sensor']>, ParentType, ContextType>;
  hasMore?: Resolver<ResolversTypes['Boolean'], ParentType, ContextType>;
  last?: Resolver<Maybe<ResolversTypes['ID']>, ParentType, ContextType>;
  count?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
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
  updatedAt?: Resolver<ResolversTypes['DateTime'], ParentType, ContextType>;
};

export type SensorHealthResolvers<ContextType = any, ParentType extends ResolversParentTypes['SensorHealth'] = ResolversParentTypes['SensorHealth']> = {
  status?: Resolver<ResolversTypes['HealthStatus'], ParentType, ContextType>;
  checkedAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  lastSeenAt?: Resolver<Maybe<ResolversTypes['DateTime']>, ParentType, ContextType>;
  reason?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  cadenceMinutes?: Resolver<ResolversTypes['Int'], ParentType, ContextType>;
};

export type InstallationResolvers<ContextType = any, ParentType extends ResolversParentTypes['Installation'] = ResolversParentTypes['Installation']> = {
  sensorId?: Resolver<ResolversTypes['ID'], ParentType, ContextType>;
  serial?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
  vendor?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  vendorType?: Resolver<ResolversTypes['VendorType'], ParentType, ContextType>;
  model?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  finestGrain?: Resolver<ResolversTypes['NativeGrain'], ParentType, ContextType>;
  from?: Resolver<ResolversTypes['String'], ParentType, ContextType>;
  to?: Resolver<Maybe<ResolversTypes['String']>, ParentType, ContextType>;
};

export type Resolvers<ContextType = any> = {
  GroupImpressions?: GroupImpressionsResolvers<ContextType>;
  AggregateImpressions?: AggregateImpressionsResolvers<ContextType>;
  AggregateRow?: AggregateRowResolvers<ContextType>;
  GroupAsset?: GroupAssetResolvers<ContextType>;
  Comparison?: ComparisonResolvers<ContextType>;
  AssetPage?: AssetPageResolvers<ContextType>;
  Asset?: AssetResolvers<ContextType>;
  ChangePage?: ChangePageResolvers<ContextType>;
  Change?: ChangeResolvers<ContextType>;
  Meta?: MetaResolvers<ContextType>;
  ApiKey?: ApiKeyResolvers<ContextType>;
  Company?: CompanyResolvers<ContextType>;
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
  ImpressionsProfile?: ImpressionsProfileResolvers<ContextType>;
  HourOfWeek?: HourOfWeekResolvers<ContextType>;
  ImpressionsByRegion?: ImpressionsByRegionResolvers<ContextType>;
  RegionOfImpressions?: RegionOfImpressionsResolvers<ContextType>;
  ImpressionsByCity?: ImpressionsByCityResolvers<ContextType>;
  CityOfImpressions?: CityOfImpressionsResolvers<ContextType>;
  ImpressionsGaps?: ImpressionsGapsResolvers<ContextType>;
  Gap?: GapResolvers<ContextType>;
  LegacyAsset?: LegacyAssetResolvers<ContextType>;
  LegacyAssetState?: LegacyAssetStateResolvers<ContextType>;
  LegacyCenter?: LegacyCenterResolvers<ContextType>;
  LegacyMetrics?: LegacyMetricsResolvers<ContextType>;
  LegacyTimes?: LegacyTimesResolvers<ContextType>;
  LegacyTime?: LegacyTimeResolvers<ContextType>;
  Methodology?: MethodologyResolvers<ContextType>;
  MethodologyStandard?: MethodologyStandardResolvers<ContextType>;
  MethodologyLevel?: MethodologyLevelResolvers<ContextType>;
  MethodologySource?: MethodologySourceResolvers<ContextType>;
  MethodologyTerm?: MethodologyTermResolvers<ContextType>;
  MethodologyAccuracy?: MethodologyAccuracyResolvers<ContextType>;
  MethodologyAdjustment?: MethodologyAdjustmentResolvers<ContextType>;
  MethodologyAudit?: MethodologyAuditResolvers<ContextType>;
  MethodologyMeasure?: MethodologyMeasureResolvers<ContextType>;
  MethodologySuppression?: MethodologySuppressionResolvers<ContextType>;
  NotePage?: NotePageResolvers<ContextType>;
  Note?: NoteResolvers<ContextType>;
  Query?: QueryResolvers<ContextType>;
  Date?: GraphQLScalarType;
  DateTime?: GraphQLScalarType;
  Count?: GraphQLScalarType;
  ExternalIds?: GraphQLScalarType;
  AgeBand?: GraphQLScalarType;
  RestatementPage?: RestatementPageResolvers<ContextType>;
  Restatement?: RestatementResolvers<ContextType>;
  SensorPage?: SensorPageResolvers<ContextType>;
  Sensor?: SensorResolvers<ContextType>;
  SensorHealth?: SensorHealthResolvers<ContextType>;
  Installation?: InstallationResolvers<ContextType>;
};

export type DirectiveResolvers<ContextType = any> = {
  rows?: RowsDirectiveResolver<any, any, ContextType>;
};
