"""The oracle: counts by sensor and instant, installations, zones, what is set aside, and what follows."""

import copy
from datetime import date, datetime, timedelta, timezone
from functools import lru_cache
from zoneinfo import ZoneInfo

SECONDS = {'minute': 60, 'quarter_hour': 900, 'hour': 3600, 'day': 86400}
OVER_AFTER = 6 * 3600
KINDS = ('impressions', 'origins', 'demographics')


@lru_cache(None)
def day_start(zone, day):
    """Returns the instant (seconds since 1970) at which a local day begins."""
    return int(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)).timestamp())


@lru_cache(None)
def day_end(zone, day):
    return day_start(zone, day + timedelta(days=1))


@lru_cache(None)
def local_date(zone, instant):
    return datetime.fromtimestamp(instant, ZoneInfo(zone)).date()


def offset(zone, instant):
    return int(datetime.fromtimestamp(instant, ZoneInfo(zone)).utcoffset().total_seconds())


def is_over(zone, day, at):
    return day_end(zone, day) + OVER_AFTER <= at


def iso(instant, zone=None):
    return datetime.fromtimestamp(instant, ZoneInfo(zone) if zone else timezone.utc).isoformat()


def dates(first, last):
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def interval_starts(zone, grain, day, first=None, last=None):
    """Returns how many native intervals of a local day begin from `first` until before `last`."""
    begin, end = day_start(zone, day), day_end(zone, day)
    if grain == 'day':
        return int((first is None or first <= begin) and (last is None or begin < last))
    low, high = max(begin, first if first is not None else begin), min(end, last if last is not None else end)
    if low >= high:
        return 0
    step = SECONDS[grain]
    phase = -offset(zone, begin) % 3600 if grain == 'hour' else 0
    return -((phase - high) // step) - -((phase - low) // step)


class Sensor:
    def __init__(self, id, serial, grain):
        self.id, self.serial, self.grain = id, serial, grain
        self.installations = []  # (asset, from, to or None), ascending
        self.counts = {}  # by the instant of the interval's start; of daily counts by date

    def asset_at(self, instant):
        for asset, start, end in self.installations:
            if start <= instant and (end is None or instant < end):
                return asset
        return None


class World:
    def __init__(self):
        self.companies = {}  # id: the last final day, or None
        self.closed_before = {}  # id: the last final days before each close
        self.assets = {}  # id: {company, zone, city, …}
        self.sensors = {}  # by serial
        self.asides = {}  # id: {serial, start, end, reason, public, counts}
        self.facts = {'origins': {}, 'demographics': {}}  # (asset, date): {place or group: impressions}
        self.notes = {}  # id: {asset, serial, from, to, kind, text, internal}
        self._totals = None

    def copy(self):
        self._totals = None
        return copy.deepcopy(self)

    def zone(self, asset):
        return self.assets[asset]['zone']

    def start_of(self, sensor, key):
        """Returns the instant at which a count begins: a daily count at its date, local at the asset."""
        if sensor.grain != 'day':
            return key
        for asset, start, end in sensor.installations:
            begin = day_start(self.zone(asset), key)
            if start <= begin and (end is None or begin < end):
                return begin
        return None

    def place(self, sensor, key):
        """Returns the asset and local day of a count, or None outside every installation."""
        instant = self.start_of(sensor, key)
        asset = None if instant is None else sensor.asset_at(instant)
        if asset is None:
            return None
        return asset, key if sensor.grain == 'day' else local_date(self.zone(asset), key)

    def totals(self):
        """Returns {kind: {(asset, date): (total, intervals)}}."""
        if self._totals is None:
            impressions = {}
            for sensor in self.sensors.values():
                for key, value in sensor.counts.items():
                    place = self.place(sensor, key)
                    total, intervals = impressions.get(place, (0, 0))
                    impressions[place] = (total + value, intervals + 1)
            self._totals = {'impressions': impressions}
            for kind, facts in self.facts.items():
                self._totals[kind] = {day: (sum(values.values()), None) for day, values in facts.items() if values}
        return self._totals

    def expected(self, asset, day):
        """Returns the native intervals expected of all sensors that were installed on a local day."""
        zone = self.zone(asset)
        return sum(
            interval_starts(zone, sensor.grain, day, start, end)
            for sensor in self.sensors.values()
            for where, start, end in sensor.installations
            if where == asset
        )

    def problems(self):
        """Returns the counts that have no place: outside every installation, or off the grid of local hours."""
        found = []
        for sensor in self.sensors.values():
            for key in sensor.counts:
                place = self.place(sensor, key)
                if place is None:
                    found.append((sensor.serial, key))
                elif sensor.grain == 'hour' and (key + offset(self.zone(place[0]), key)) % 3600:
                    found.append((sensor.serial, key))
        return found

    def aside_of(self, sensor, key):
        """Returns the stretch set aside that has a count already, or in which it begins."""
        mine = [aside for aside in self.asides.values() if aside['serial'] == sensor.serial]
        instant = self.start_of(sensor, key)
        within = (aside for aside in mine if instant is not None and aside['start'] <= instant < aside['end'])
        return next((aside for aside in mine if key in aside['counts']), next(within, None))

    def correct_zone(self, asset, zone):
        record = self.assets[asset]
        record.update(zone=zone, former=[*record['former'], record['zone']])
        for sensor in self.sensors.values():
            if sensor.grain == 'day':
                for key in [key for key in sensor.counts if self.aside_of(sensor, key)]:
                    self.aside_of(sensor, key)['counts'][key] = sensor.counts.pop(key)

    def install(self, serial, asset, start, end=None):
        """Applies a row of a `sensors` file that names asset and installed_at, and removed_at where there is an end."""
        sensor = self.sensors[serial]
        if end is None and sensor.asset_at(start) == asset:
            return
        kept = [(a, s, start if e is None or e > start else e) for a, s, e in sensor.installations if s < start]
        if asset is not None:
            if kept and kept[-1][0] == asset and kept[-1][2] == start:
                start = kept.pop()[1]
            kept.append((asset, start, end))
        sensor.installations = kept

    def forget_asset(self, asset):
        """Removes an asset with all that it has; its sensors stay."""
        for sensor in self.sensors.values():
            sensor.counts = {k: v for k, v in sensor.counts.items() if (self.place(sensor, k) or [None])[0] != asset}
        for aside in self.asides.values():
            sensor = self.sensors[aside['serial']]
            aside['counts'] = {
                k: v for k, v in aside['counts'].items() if (self.place(sensor, k) or [None])[0] != asset
            }
        for sensor in self.sensors.values():
            sensor.installations = [one for one in sensor.installations if one[0] != asset]
        for facts in self.facts.values():
            for day in [day for day in facts if day[0] == asset]:
                del facts[day]
        self.notes = {id: note for id, note in self.notes.items() if note['asset'] != asset}
        self.assets.pop(asset, None)
        self._totals = None

    def forget_before(self, cutoff):
        """Removes what retention removes: counts, origins and demographics of local days before a date."""

        def kept(sensor, key):
            place = self.place(sensor, key)
            return place is None or place[1] >= cutoff

        for sensor in self.sensors.values():
            sensor.counts = {k: v for k, v in sensor.counts.items() if kept(sensor, k)}
        for aside in self.asides.values():
            sensor = self.sensors[aside['serial']]
            aside['counts'] = {k: v for k, v in aside['counts'].items() if kept(sensor, k)}
        for facts in self.facts.values():
            for day in [day for day in facts if day[1] < cutoff]:
                del facts[day]
        self._totals = None

    def forget_company(self, company):
        """Offboarding: a sensor that was also on an asset of another company remains."""
        gone = [asset for asset, record in self.assets.items() if record['company'] == company]
        owned = [
            s.serial
            for s in self.sensors.values()
            if s.installations and all(one[0] in gone for one in s.installations)
        ]
        for asset in gone:
            self.forget_asset(asset)
        for serial in owned:
            self.forget_sensor(serial)
        self.companies.pop(company, None)
        self.closed_before.pop(company, None)

    def forget_sensor(self, serial):
        self.sensors.pop(serial, None)
        self.asides = {id: aside for id, aside in self.asides.items() if aside['serial'] != serial}
        self.notes = {id: note for id, note in self.notes.items() if note['serial'] != serial}
        self._totals = None


def changed_days(before, after):
    """Yields kind, asset, date, and the (total, intervals) before and after of each day that differs."""
    for kind in KINDS:
        old, new = before.totals()[kind], after.totals()[kind]
        for day in sorted(old.keys() | new.keys()):
            if old.get(day) != new.get(day):
                yield kind, day[0], day[1], old.get(day, (None, None)), new.get(day, (None, None))


def parse_date(text):
    return date.fromisoformat(text)
