"""Steps that change counts: imports, deletions, retention, what is set aside and restored, and closed months."""

from datetime import date, timedelta

from choices import DAY_ASSET, GROUPS, HOMES, Choices
from world import day_start, iso


class CountSteps(Choices):
    def import_counts(self, grain=None, days=4):
        grain = grain or self.random.choice(['quarter_hour', 'quarter_hour', 'hour', 'minute', 'day'])
        sensors = self.sensors(grain)
        if not sensors:
            return
        erase = self.chance(0.3)
        cells = {}
        for sensor in self.random.sample(
            sensors, min(len(sensors), days, self.random.randint(1, 3) if days < 9 else 9)
        ):
            stored = [
                *sensor.counts,
                *(key for a in self.h.world.asides.values() if a['serial'] == sensor.serial for key in a['counts']),
            ]
            keys = {
                key
                for day in self.random.sample(self.days, days)
                for key in self.keys_of(sensor, day, self.random.randint(1, 9))
            }
            keys |= set(self.random.sample(stored, min(len(stored), self.random.randint(0, 6))))
            for key in keys:
                if sensor.grain == 'day' and self.h.world.place(sensor, key) is None:
                    continue
                if (
                    self.h.world.start_of(sensor, key) is None
                    or sensor.asset_at(self.h.world.start_of(sensor, key)) is None
                ):
                    continue
                old = sensor.counts.get(key)
                value = self.random.choice([0, old if old is not None else 1, self.random.randrange(1, 40)])
                cells[sensor.serial, key] = '' if erase and self.chance(0.5) else value
        if not cells:
            return
        rejected = self.chance(0.05)
        lines = [(serial, self.cell(key), value) for (serial, key), value in cells.items()]
        if rejected:
            lines.append((sensors[0].serial, '2025-06-01' if grain == 'day' else '2025-06-01T00:00:00Z', 1))
        self.random.shuffle(lines)
        args = ['import', 'impressions', '-', '--json', '--interval', grain, *(['--erase'] if erase else [])]
        if self.chance(0.3) and not erase:
            args.append('--wide')
            serials = sorted({line[0] for line in lines})
            table = {}
            for serial, start, value in lines:
                table.setdefault(start, {})[serial] = value
            text = 'start,' + ','.join(serials) + '\n'
            text += ''.join(
                ','.join([start, *(str(row.get(s, '')) for s in serials)]) + '\n' for start, row in table.items()
            )
        else:
            text = 'sensor,start,impressions\n' + ''.join(f'{s},{at},{v}\n' for s, at, v in lines)

        def effect(world):
            for (serial, key), value in cells.items():
                sensor = world.sensors[serial]
                aside = world.aside_of(sensor, key)
                counts = sensor.counts if aside is None else aside['counts']
                if value != '':
                    counts[key] = value
                elif erase:
                    counts.pop(key, None)

        done, result = self.maybe_dry(args, text, effect, 'import', rejected=rejected, **self.explained())
        if done:
            total = result.json['total']
            parts = ('stored', 'unchanged', 'set_aside', 'erased', 'dropped', 'rejected', 'not_stored')
            if total['read'] != sum(total[part] for part in parts):
                raise AssertionError(f'the figures of an import do not add up: {total}')

    def delete_impressions(self):
        sensor = self.random.choice(self.sensors())
        first, last = self.range()

        def effect(world):
            def hit(one, key):
                place = world.place(one, key)
                return place is not None and first <= place[1] <= last

            one = world.sensors[sensor.serial]
            for counts in [one.counts, *(a['counts'] for a in world.asides.values() if a['serial'] == one.serial)]:
                for key in [key for key in counts if hit(one, key)]:
                    del counts[key]

        args = [
            'delete',
            'impressions',
            '--sensor',
            sensor.serial,
            '--from',
            str(first),
            '--to',
            str(last),
            '--yes',
            '--json',
        ]
        self.maybe_dry(args, None, effect, 'deletion', **self.explained())

    def facts(self):
        kind = self.random.choice(['origins', 'demographics'])
        choices, columns = (HOMES, 'country,region,city') if kind == 'origins' else (GROUPS, 'gender,age_band')
        asset = self.random.choice(list(self.h.world.assets))
        erase = self.chance(0.3)
        values = {
            (day, one): '' if erase and self.chance(0.5) else self.random.randrange(1, 90)
            for day in self.random.sample([d for d in self.days if d < self.days[-1]], 3)
            for one in self.random.sample(choices, 2)
        }
        text = f'asset_id,date,{columns},impressions\n'
        text += ''.join(f'{asset},{day},{",".join(one)},{value}\n' for (day, one), value in values.items())

        def effect(world):
            for (day, one), value in values.items():
                stored = world.facts[kind].setdefault((asset, day), {})
                if value != '':
                    stored[one] = value
                elif erase:
                    stored.pop(one, None)

        args = ['import', kind, '-', '--json', *(['--erase'] if erase else [])]
        self.maybe_dry(args, text, effect, 'import', **self.explained())

    def delete_facts(self):
        kind = self.random.choice(['origins', 'demographics'])
        asset = self.random.choice(list(self.h.world.assets))
        first, last = self.range()

        def effect(world):
            for day in [d for d in world.facts[kind] if d[0] == asset and first <= d[1] <= last]:
                del world.facts[kind][day]

        args = ['delete', kind, '--asset', asset, '--from', str(first), '--to', str(last), '--yes', '--json']
        self.maybe_dry(args, None, effect, 'deletion', **self.explained())

    def set_aside(self):
        sensor = self.random.choice(self.sensors())
        if sensor.grain == 'day':
            day = self.random.choice(self.days)
            start, end = (
                day_start(self.h.world.zone(DAY_ASSET), d)
                for d in (day, day + timedelta(days=self.random.choice([1, 3])))
            )
        else:
            start = self.instant()
            if sensor.counts and self.chance(0.7):
                start = self.random.choice(list(sensor.counts)) - self.random.choice([0, 0, 450, 3600])
            end = start + self.random.choice([900, 3600, 1000, 86400, 10 * 86400])
        overlap = any(
            a['serial'] == sensor.serial and a['start'] < end and start < a['end'] for a in self.h.world.asides.values()
        )
        said = self.explained()
        said['note'] = said['note'] or 'bus parked before it'
        created = {}

        def effect(world):
            one = world.sensors[sensor.serial]
            taken = {k: v for k, v in one.counts.items() if start <= (world.start_of(one, k)) < end}
            for key in taken:
                del one.counts[key]
            aside = {
                'serial': one.serial,
                'start': start,
                'end': end,
                'reason': said['note'],
                'public': said['public'],
                'counts': taken,
            }
            world.asides['new'] = aside
            created.update(count=len(taken), sum=sum(taken.values()))

        args = [
            'set-aside',
            'impressions',
            '--sensor',
            sensor.serial,
            '--from',
            iso(start),
            '--to',
            iso(end),
            '--yes',
            '--json',
        ]
        rejected = overlap or not sensor.installations
        done, result = self.maybe_dry(args, None, effect, 'set_aside', rejected=rejected, **said)
        if done:
            answer = result.json
            self.h.world.asides[answer['id']] = self.h.world.asides.pop('new')
            if (answer['counts'], answer['impressions']) != (created['count'], created['sum']):
                raise AssertionError(f'set-aside says {answer}, expected {created}')

    def restore(self):
        if not self.h.world.asides:
            return self.set_aside()
        id = self.random.choice(list(self.h.world.asides))

        def effect(world):
            aside = world.asides.pop(id)
            world.sensors[aside['serial']].counts.update(aside['counts'])

        self.maybe_dry(['restore', str(id), '--yes', '--json'], None, effect, 'restored', **self.explained())

    def close(self):
        month = self.random.choice([date(2026, 8, 1), date(2026, 9, 1), date(2026, 10, 1), date(2026, 10, 1)])
        last = (month + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        company = self.random.choice([None, 'companya0001', 'companyb0001'])
        which = [company] if company else list(self.h.world.companies)
        if company and company not in self.h.world.companies:
            return

        def effect(world):
            for one in which:
                final = world.companies[one]
                if final is None or final < last:
                    world.closed_before[one] = [*world.closed_before.get(one, []), final]
                    world.companies[one] = last

        self.h.change(
            ['close', month.strftime('%Y-%m'), *(['--company', company] if company else []), '--json'], None, effect
        )

    def close_too_early(self):
        month = date.today().strftime('%Y-%m')
        self.h.change(['close', month, '--json'], None, lambda w: None, rejected=True)

    def undo(self):
        closed = {id: final for id, final in self.h.world.companies.items() if final}
        if not closed:
            return self.close()
        company = self.random.choice(list(closed))
        month = closed[company].replace(day=1)
        undo = ['--undo', '--company', company, '--json']
        other = (month - timedelta(days=1)).strftime('%Y-%m')
        self.h.change(['close', other, *undo], None, lambda w: None, rejected=True, note='undone')

        def effect(world):
            *rest, world.companies[company] = world.closed_before[company]
            world.closed_before[company] = rest

        self.h.change(['close', month.strftime('%Y-%m'), *undo], None, effect, note='undone')
