"""What /gaps and /notes have to say, as far as the contract decides it."""

from bisect import bisect_left
from datetime import datetime, timedelta

from world import SECONDS, dates, day_end, day_start, iso, local_date, offset


def grid(world, sensor, asset, first, last):
    """Yields the begin and end of each native interval of a sensor on an asset within local days."""
    zone = world.zone(asset)
    for where, start, end in sensor.installations:
        if where != asset:
            continue
        for day in dates(first, last):
            low, high = day_start(zone, day), day_end(zone, day)
            if sensor.grain == 'day':
                starts = [low]
            else:
                step = SECONDS[sensor.grain]
                phase = -offset(zone, low) % 3600 if sensor.grain == 'hour' else 0
                starts = range(low + (phase - low) % step, high, step)
            for begin in starts:
                if start <= begin and (end is None or begin < end):
                    yield day, begin, high if sensor.grain == 'day' else begin + SECONDS[sensor.grain]


def intervals_without_data(history, asset, first, last, companies):
    """Returns {(sensor id, begin): (end, the reasons that the contract allows)}, with what a key of these companies sees."""
    world, zone = history.world, history.world.zone(asset)
    fallen = {
        entry.date
        for entry in history.entries
        if entry.kind == 'impressions' and entry.asset == asset and (entry.after[1] or 0) < (entry.before[1] or 0)
    }
    found = {}
    for sensor in world.sensors.values():
        mine = [aside for aside in world.asides.values() if aside['serial'] == sensor.serial]
        kept = {key for aside in mine for key in aside['counts']}
        places = {key: world.place(sensor, key) for key in sensor.counts}
        delivered = [
            world.start_of(sensor, key)
            for key, place in places.items()
            if place and world.assets[place[0]]['company'] in companies
        ]
        set_aside = [key if sensor.grain != 'day' else day_start(zone, key) for key in kept]
        for day, begin, end in grid(world, sensor, asset, first, last):
            key = day if sensor.grain == 'day' else begin
            if key in sensor.counts:
                continue
            if key in kept:
                reasons = {'set_aside'}
            else:
                reasons = {'unknown' if any(at > begin for at in delivered) else 'not_delivered'}
                if any(at > begin for at in set_aside):
                    reasons |= {'unknown'}
                if day in fallen or asset in history.moved_zones:
                    reasons |= {'erased'}
                if any(aside['start'] <= begin < aside['end'] for aside in mine):
                    reasons = reasons | {'set_aside'}
            found[sensor.id, begin] = end, reasons
    return found


def times_without_sensor(world, asset, first, last):
    """Returns the times of a range that no interval covers which is expected of a sensor."""
    zone = world.zone(asset)
    begin, end = day_start(zone, first), day_end(zone, last)
    spans = sorted(
        (start, stop)
        for sensor in world.sensors.values()
        for _, start, stop in grid(world, sensor, asset, first - timedelta(days=1), last)
        if stop > begin
    )
    free, at = [], begin
    for start, stop in spans:
        if start > at:
            free.append((at, start))
        at = max(at, stop)
    return free + ([(at, end)] if at < end else [])


def compare_gaps(history, rows, asset, first, last, companies):
    """Returns what is wrong with the gaps of an asset that a key of these companies reads, or None."""
    world = history.world
    wanted = intervals_without_data(history, asset, first, last, companies)
    zone, free, seen, previous = world.zone(asset), [], set(), None
    starts = {}
    for sensor, at in sorted(wanted):
        starts.setdefault(sensor, []).append(at)
    grains = {sensor.id: sensor for sensor in world.sensors.values()}
    for row in rows:
        start, end = (int(datetime.fromisoformat(row[name]).timestamp()) for name in ('from', 'to'))
        if row['from'] != iso(start, zone) or row['to'] != iso(end, zone):
            return f'{row} has not the offset of {zone}'
        order = start, row['sensor_id'] or ''
        if previous and order < previous:
            return f'{row} is out of order'
        previous = order
        if row['sensor_id'] is None:
            if (row['reason'], row['expected'], row['missing']) != ('no_sensor', 0, 0):
                return f'{row} without a sensor'
            free.append((start, end))
            continue
        mine = starts.get(row['sensor_id'], [])
        inside = [(row['sensor_id'], at) for at in mine[bisect_left(mine, start) : bisect_left(mine, end)]]
        if row['missing'] != len(inside) or row['expected'] != len(inside) or not seen.isdisjoint(inside):
            return f'{row} has {len(inside)} intervals without a count'
        if not inside or min(k[1] for k in inside) != start or max(wanted[k][0] for k in inside) != end:
            return f'{row} does not begin and end with intervals'
        wrong = [(key[1], wanted[key][1]) for key in inside if row['reason'] not in wanted[key][1]]
        if wrong:
            at, allowed = wrong[0]
            return f'{row}: at {iso(at, zone)} the reason is one of {sorted(allowed)}'
        seen |= set(inside)
    if seen != wanted.keys():
        sensor, at = sorted(wanted.keys() - seen)[0]
        return f'no gap has {grains[sensor].serial} at {iso(at, zone)}'
    if free != times_without_sensor(world, asset, first, last):
        show = lambda spans: [(iso(a, zone), iso(b, zone)) for a, b in spans]  # noqa: E731
        return (
            f'times without a sensor: {show(free)} instead of {show(times_without_sensor(world, asset, first, last))}'
        )
    by_sensor = {}
    for row in rows:
        last_row = by_sensor.get(row['sensor_id'])
        if last_row and (last_row['to'], last_row['reason']) == (row['from'], row['reason']):
            return f'{last_row} and {row} are one stretch'
        by_sensor[row['sensor_id']] = row
    return None


def named(world, sensor, company):
    """Returns the id of a sensor that is on an asset of the company now, and not removed."""
    asset, _, end = sensor.installations[-1] if sensor.installations else (None, None, None)
    return sensor.id if asset and end is None and world.assets[asset]['company'] == company else None


def expected_notes(world, companies, first, last):
    """Returns the rows of /notes without those of restatements, and without `updated_at`."""
    rows = []
    for id, note in world.notes.items():
        if note['internal']:
            continue
        begin, end = note['from'], note['to']
        for asset, record in world.assets.items():
            if record['company'] not in companies or begin > last or (end is not None and end < first):
                continue
            low, high = max(begin, first), min(end or last, last)
            if note['asset'] is not None:
                applies = note['asset'] == asset
            else:
                zone = record['zone']
                span = day_start(zone, low), day_end(zone, high)
                applies = any(
                    where == asset and start < span[1] and (stop is None or stop > span[0])
                    for where, start, stop in world.sensors[note['serial']].installations
                )
            if applies:
                sensor = note['serial'] and named(world, world.sensors[note['serial']], record['company'])
                to = end and end.isoformat()
                rows.append(
                    {
                        'id': id,
                        'asset_id': asset,
                        'sensor_id': sensor,
                        'from': begin.isoformat(),
                        'to': to,
                        'kind': note['kind'],
                        'text': note['text'],
                    }
                )
    return rows


def expected_unusable(world, companies, first, last):
    """Returns (asset, sensor, from, to, text) of each stretch set aside, at each asset where the sensor was in it."""
    rows = []
    for aside in world.asides.values():
        sensor = world.sensors[aside['serial']]
        for asset in {where for where, _, _ in sensor.installations}:
            if world.assets[asset]['company'] not in companies:
                continue
            zone = world.zone(asset)
            spans = [
                (max(start, aside['start']), min(stop or aside['end'], aside['end']))
                for where, start, stop in sensor.installations
                if where == asset and start < aside['end'] and (stop is None or stop > aside['start'])
            ]
            if spans:
                days = local_date(zone, min(s for s, _ in spans)), local_date(zone, max(e for _, e in spans) - 1)
                if days[0] <= last and days[1] >= first:
                    text = aside['reason'] if aside['public'] else 'Set aside.'
                    rows.append((asset, named(world, sensor, world.assets[asset]['company']), str(days[0]), str(days[1]), text))
    return sorted(rows, key=str)
