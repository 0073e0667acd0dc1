"""Steps that change records: assets, sensors, installations, time zones and notes, and deletions of them."""

import time
from datetime import date

from choices import CITIES, DAY_ASSET, HOURLY_ZONES, INSTALLED, ZONES, Choices
from history import VENDORS
from world import Sensor, iso


class RecordSteps(Choices):
    def new_asset(self, id=None, company=None, zone=None):
        self.names += 1
        id = id or f'asset{self.names:07d}'
        company = company or self.random.choice(['companya0001', 'companya0001', 'companyb0001'])
        zone = zone or self.random.choice(ZONES)
        country, region, city = self.random.choice(CITIES)
        row = f'{id},{company},{id},digital,billboard,52,13,{city},{region},{country},{zone}\n'
        record = {
            'company': company,
            'zone': zone,
            'first_zone': zone,
            'former': [],
            'country': country,
            'region': region,
            'city': city,
        }
        header = 'id,company_id,name,media_type,format,latitude,longitude,city,region,country,time_zone\n'
        self.h.change(['import', 'assets', '-'], header + row, lambda w: w.assets.update({id: record}))
        return id

    def new_sensors(self, *wanted):
        """Installs (grain, asset) pairs with one file."""
        rows, made = [], []
        for grain, asset in wanted:
            self.names += 1
            id, serial = f'sensor{self.names:06d}', f'S{self.names}'
            made.append((id, serial, grain, asset))
            rows.append(f'{id},{serial},m,{VENDORS[grain]},{asset},2026-01-01T00:00:00Z\n')

        def effect(world):
            for id, serial, grain, asset in made:
                world.sensors[serial] = Sensor(id, serial, grain)
                world.sensors[serial].installations = [(asset, INSTALLED, None)]

        self.h.change(
            ['import', 'sensors', '-'],
            'id,serial,model,vendor_id,asset_id,installed_at\n' + ''.join(rows),
            effect,
            'move',
        )

    def begin(self):
        for _ in range(3):
            self.new_asset()
        self.new_asset(company='companya0001', zone='Europe/Berlin')
        self.new_asset(DAY_ASSET, 'companya0001', 'Europe/Berlin')
        assets = [a for a in self.h.world.assets if a != DAY_ASSET]
        hourly = [a for a in assets if self.h.world.zone(a) in HOURLY_ZONES]
        self.new_sensors(
            *(('quarter_hour', self.random.choice(assets)) for _ in range(3)),
            ('minute', self.random.choice(assets)),
            ('hour', self.random.choice(hourly)),
            ('day', DAY_ASSET),
        )

        for grain in ('quarter_hour', 'minute', 'hour', 'day'):
            self.import_counts(grain, 9)
        self.facts()
        self.facts()

    def move(self):
        sensor = self.random.choice(self.sensors('quarter_hour', 'minute', 'hour'))
        assets = [a for a in self.h.world.assets if a != DAY_ASSET]
        rows, effects = [], []
        times = sorted({min(self.instant(), int(time.time()) - 60) for _ in range(self.random.choice([1, 1, 2]))})
        for at in times:
            asset = None if self.chance(0.1) else self.random.choice(assets)
            rows.append(f'{sensor.serial},{asset or ""},{iso(at)}\n')
            effects.append((asset, at))

        def effect(world):
            if any(a is not None and sensor.grain == 'hour' and world.zone(a) not in HOURLY_ZONES for a, _ in effects):
                return None if sensor.counts else None
            for asset, at in effects:
                world.install(sensor.serial, asset, at)

        if any(
            a is not None and sensor.grain == 'hour' and self.h.world.zone(a) not in HOURLY_ZONES for a, _ in effects
        ):
            return
        self.maybe_dry(
            ['import', 'sensors', '-', '--json'],
            'serial,asset_id,installed_at\n' + ''.join(rows),
            effect,
            'move',
            **self.explained(),
        )

    def zone(self):
        asset = self.random.choice(list(self.h.world.assets))
        hourly = any(s.grain == 'hour' and any(i[0] == asset for i in s.installations) for s in self.sensors())
        zone = self.random.choice(HOURLY_ZONES if hourly else ZONES)
        done, _ = self.maybe_dry(
            ['import', 'assets', '-', '--json'],
            f'id,time_zone\n{asset},{zone}\n',
            lambda w: w.correct_zone(asset, zone),
            'time_zone',
            **self.explained(),
        )
        if done:
            self.h.moved_zones.add(asset)

    def attributes(self):
        asset = self.random.choice(list(self.h.world.assets))
        country, region, city = self.random.choice(CITIES)
        self.h.change(
            ['import', 'assets', '-', '--json'],
            f'id,country,region,city\n{asset},{country},{region},{city}\n',
            lambda w: w.assets[asset].update(country=country, region=region, city=city),
            'import',
        )

    def delete_sensor(self):
        sensor = self.random.choice(self.sensors())
        done, _ = self.maybe_dry(
            ['delete', 'sensors', sensor.serial, '--yes', '--json'],
            None,
            lambda w: w.forget_sensor(sensor.serial),
            'deletion',
            **self.explained(0.8),
        )
        if done:
            asset = (
                DAY_ASSET
                if sensor.grain == 'day'
                else self.random.choice([a for a in self.h.world.assets if a != DAY_ASSET])
            )
            if sensor.grain != 'hour' or self.h.world.zone(asset) in HOURLY_ZONES:
                self.new_sensors((sensor.grain, asset))

    def delete_asset(self):
        asset = self.random.choice([a for a in self.h.world.assets if a != DAY_ASSET])
        if len(self.h.world.assets) < 4:
            return
        said = self.explained(0.8)
        done, _ = self.maybe_dry(
            ['delete', 'assets', asset, '--yes', '--json'],
            None,
            lambda w: w.forget_asset(asset),
            None,
            loses=True,
            **said,
        )
        if done:
            self.h.forget(lambda e: e.asset != asset, lambda state: state.forget_asset(asset))
            self.new_asset(asset if self.chance(0.5) else None)

    def delete_company(self):
        """Offboarding, which closed months do not stop."""
        if 'companyb0001' not in self.h.world.companies:
            return
        gone = {a for a, record in self.h.world.assets.items() if record['company'] == 'companyb0001'}
        done, _ = self.h.change(
            ['delete', 'companies', 'companyb0001', '--yes', '--json'],
            None,
            lambda w: w.forget_company('companyb0001'),
            bound=False,
            loses=True,
        )
        if done:
            self.h.forget(lambda e: e.asset not in gone, lambda state: [state.forget_asset(asset) for asset in gone])
            self.new_asset(company='companya0001')

    def retain(self):
        months = self.random.choice([1, 2, 3])
        today = date.today()
        year, month = divmod(today.year * 12 + today.month - 1 - months, 12)
        cutoff = date(year, month + 1, 1)
        done, _ = self.h.change(
            ['retain', '--months', str(months), '--yes', '--json'],
            None,
            lambda w: w.forget_before(cutoff),
            bound=False,
            loses=True,
        )
        if done:
            self.h.forget(lambda e: e.date >= cutoff, lambda state: state.forget_before(cutoff))

    def note(self):
        if self.h.world.notes and self.chance(0.4):
            id = self.random.choice(list(self.h.world.notes))
            return self.h.change(['note', 'remove', id, '--json'], None, lambda w: w.notes.pop(id) and None)
        first, last = self.range()
        asset, serial = self.random.choice(list(self.h.world.assets)), None
        if self.chance(0.5):
            asset, serial = None, self.random.choice(self.sensors()).serial
        internal, kind, text = (
            self.chance(0.2),
            self.random.choice(['caveat', 'break']),
            f'text {self.random.randrange(10**6)}',
        )
        end = last if self.chance(0.7) else None
        args = [
            'note',
            'add',
            *(['--asset', asset] if asset else ['--sensor', serial]),
            '--from',
            str(first),
            '--kind',
            kind,
            '--text',
            text,
        ]
        args += ['--json', *(['--to', str(last)] if end else []), *(['--internal'] if internal else [])]
        record = {
            'asset': asset,
            'serial': serial,
            'from': first,
            'to': end,
            'kind': kind,
            'text': text,
            'internal': internal,
        }
        done, result = self.h.change(args, None, lambda w: w.notes.update(new=record))
        if done:
            self.h.world.notes[result.json['id']] = self.h.world.notes.pop('new')
