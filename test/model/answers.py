"""The responses that the contract derives from the state of the oracle, also as of an earlier instant."""

from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal

from world import dates, day_start, is_over, iso


def rounded(numerator, denominator, places):
    if not denominator:
        return 0
    unit = Decimal(1).scaleb(-places)
    return float((Decimal(numerator) / Decimal(denominator)).quantize(unit, ROUND_HALF_UP))


def coverage(observed, expected):
    """Returns observed over expected intervals; 0 only where nothing was observed."""
    return max(rounded(observed, expected, 4), 0.0001) if observed else 0


def average(total, rows):
    return rounded(total, rows, 2)


def buckets(first, last, grain):
    """Returns the days of each calendar bucket of a range; the first and the last are cut."""
    groups = {}
    for day in dates(first, last):
        if grain == 'day':
            key = day
        elif grain == 'week':
            key = day - timedelta(days=day.weekday())
        elif grain == 'month':
            key = day.replace(day=1)
        else:
            key = day.replace(month=(day.month - 1) // 3 * 3 + 1, day=1)
        groups.setdefault(key, []).append(day)
    return list(groups.values())


class Answers:
    """Renders responses from `then`, the state at an instant, for the assets of `now`.

    With `as_of`, days that were not over then are missing."""

    def __init__(self, then, now, companies, as_of=None):
        self.then, self.now, self.as_of = then, now, as_of
        self.assets = sorted(id for id, asset in now.assets.items() if asset['company'] in companies)
        self.expectations = {}

    def zone(self, asset):
        return self.then.zone(asset) if asset in self.then.assets else self.now.assets[asset]['first_zone']

    def day(self, asset, day):
        """Returns total, observed and expected intervals of a local day; total is None without data."""
        key = asset, day
        if key not in self.expectations:
            self.expectations[key] = self.then.expected(asset, day) if asset in self.then.assets else 0
        total, observed = self.then.totals()['impressions'].get(key, (None, 0))
        if self.as_of is not None and not is_over(self.zone(asset), day, self.as_of):
            total, observed = None, 0
        return total, observed, self.expectations[key]

    def bucket(self, assets, days):
        """Returns impressions, coverage, the assets with data, and days with data of one asset."""
        values = [(asset, day, *self.day(asset, day)) for asset in assets for day in days]
        totals = [total for _, _, total, _, _ in values if total is not None]
        observed, expected = sum(v[3] for v in values), sum(v[4] for v in values)
        with_data = {(asset) for asset, _, total, _, _ in values if total is not None}
        return (sum(totals) if totals else None), coverage(observed, expected), len(with_data), len(totals)

    @staticmethod
    def totalled(rows):
        values = [row['impressions'] for row in rows if row['impressions'] is not None]
        return {'data': rows, 'total': sum(values), 'average': average(sum(values), len(values))}

    def daily(self, asset, first, last):
        rows = []
        for day in dates(first, last):
            impressions, covered, _, _ = self.bucket([asset], [day])
            rows.append({'date': day.isoformat(), 'impressions': impressions, 'coverage': covered})
        return self.totalled(rows)

    def timeseries(self, asset, first, last, grain):
        rows = []
        for days in buckets(first, last, grain):
            impressions, covered, _, _ = self.bucket([asset], days)
            zone = self.zone(asset)
            rows.append({'start': iso(day_start(zone, days[0]), zone), 'impressions': impressions, 'coverage': covered})
        return self.totalled(rows)

    def summary(self, asset, first, last):
        days = [(day, *self.day(asset, day)) for day in dates(first, last)]
        data = [(day, total) for day, total, _, _ in days if total is not None]
        busiest = min(data, key=lambda one: (-one[1], one[0])) if data else (None, None)
        total = sum(value for _, value in data)
        row = {
            'from_date': first.isoformat(),
            'to_date': last.isoformat(),
            'days': len(days),
            'days_with_data': len(data),
            'impressions': total,
            'average_daily_impressions': average(total, len(data)),
            'busiest_date': busiest[0] and busiest[0].isoformat(),
            'busiest_date_impressions': busiest[1],
            'coverage': coverage(sum(d[2] for d in days), sum(d[3] for d in days)),
        }
        return {'data': [row], 'total': total, 'average': row['average_daily_impressions']}

    def impressions(self, first, last, grain):
        return [{'asset_id': asset, **self.timeseries(asset, first, last, grain)} for asset in self.assets]

    def aggregate(self, first, last, grain='day', group_by=None):
        """Returns the network as a whole, by city, or by asset."""
        if group_by == 'asset':
            rows = []
            for asset in self.assets:
                impressions, covered, with_data, days = self.bucket([asset], dates(first, last))
                rows.append(
                    {
                        'asset_id': asset,
                        'impressions': impressions,
                        'assets_with_data': with_data,
                        'days_with_data': days,
                        'coverage': covered,
                    }
                )
            rows.sort(key=lambda row: (row['impressions'] is None, -(row['impressions'] or 0), row['asset_id']))
            return {**self.totalled(rows), 'asset_count': len(self.assets)}
        groups = {(): self.assets}
        if group_by == 'city':
            groups = {}
            for asset in self.assets:
                record = self.now.assets[asset]
                groups.setdefault(tuple((name, record[name]) for name in ('country', 'region', 'city')), []).append(
                    asset
                )
        rows = []
        for days in buckets(first, last, grain):
            for group in sorted(groups):
                impressions, covered, with_data, _ = self.bucket(groups[group], days)
                rows.append(
                    {
                        'start': days[0].isoformat(),
                        **dict(group),
                        'impressions': impressions,
                        'assets_with_data': with_data,
                        'coverage': covered,
                    }
                )
        return {**self.totalled(rows), 'asset_count': len(self.assets)}
