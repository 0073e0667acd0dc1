"""Random choices of the steps: days, instants, sensors and explanations."""

import random
import time
from datetime import date, timedelta

from world import SECONDS, day_start, iso, offset

ZONES = [
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Australia/Lord_Howe',
    'Pacific/Auckland',
    'America/St_Johns',
    'UTC',
]
HOURLY_ZONES = [zone for zone in ZONES if zone != 'Australia/Lord_Howe']
CITIES = [('DE', 'DE-BE', 'Berlin'), ('DE', 'DE-HH', 'Hamburg'), ('US', 'US-NY', 'New York')]
HOMES = [('DE', 'DE-BE', 'Berlin'), ('DE', 'DE-BB', 'Potsdam'), ('US', 'US-NJ', 'Newark')]
GROUPS = [('male', '18-24'), ('female', '25-34'), ('unknown', 'unknown')]
DAY_ASSET = 'assetdaily01'
INSTALLED = day_start('UTC', date(2026, 1, 1))


class Choices:
    def __init__(self, history, seed):
        self.h, self.random = history, random.Random(seed)
        self.names = 0
        today = date.fromtimestamp(time.time())
        clock_changes = [date(2026, 10, 25), date(2026, 11, 1), date(2026, 10, 4)]
        past = [today - timedelta(days=n) for n in (3, 8, 20, 30, 40, 60, 75, 90, 100)]
        self.days = sorted(
            {
                *past,
                *(d for d in clock_changes if d < today),
                today - timedelta(days=2),
                today - timedelta(days=1),
                today,
            }
        )
        self.first, self.last = self.days[0] - timedelta(days=2), today + timedelta(days=3)

    def chance(self, probability):
        return self.random.random() < probability

    def explained(self, restate=0.35):
        """Returns a note, whether it is public, and whether closed months may change."""
        note = f'note {self.random.randrange(1000)}' if self.chance(0.6) else None
        return {
            'note': note,
            'public': note is not None and self.chance(0.5),
            'restate': note is not None and self.chance(restate),
        }

    def sensors(self, *grains):
        return [s for s in self.h.world.sensors.values() if not grains or s.grain in grains]

    def instant(self, day=None):
        """Returns an instant of a day, often a midnight or full hour somewhere, at times off every interval."""
        day = day or self.random.choice(self.days)
        start = day_start(self.random.choice(ZONES), day)
        return start + self.random.choice([0, 0, 3600 * self.random.randrange(24), 60 * self.random.randrange(1440)])

    def keys_of(self, sensor, day, n):
        """Returns starts of native intervals of a sensor around a UTC day, none in the future."""
        if sensor.grain == 'day':
            return [day]
        step = SECONDS[sensor.grain]
        found = set()
        for _ in range(n):
            at = day_start('UTC', day) + self.random.randrange(-14 * 3600, 30 * 3600) // step * step
            asset = sensor.asset_at(at)
            if asset is None:
                continue
            if sensor.grain == 'hour':
                at -= (at + offset(self.h.world.zone(asset), at)) % 3600
                if sensor.asset_at(at) != asset:
                    continue
            if at < time.time() - step:
                found.add(at)
        return sorted(found)

    def cell(self, key):
        return key.isoformat() if isinstance(key, date) else iso(key)

    def maybe_dry(self, args, stdin, effect, reason, **options):
        """Runs a command, at times as a dry run before, which has the same outcome and changes nothing."""
        if self.chance(0.15):
            self.h.change([*args, '--dry-run'], stdin, effect, reason, **options)
        return self.h.change(args, stdin, effect, reason, **options)

    def range(self):
        first = self.random.choice(self.days)
        return first, first + timedelta(days=self.random.choice([0, 0, 1, 5, 30]))
