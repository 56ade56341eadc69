import type { LocationObserver, LocationReadings } from '@lateen/locations';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** A listing takes milliseconds; a hanging one is aborted after 30 s. */
const durationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 3, 10, 30];

const result = (available: boolean): string => (available ? 'available' : 'unavailable');

/**
 * Series of BackupStorageLocations; README lists them. The status has Velero's name (performance.md section 9) and is read from
 * the objects at each scrape, so that a deleted location has no series. A replica that does not lead has no series either.
 */
export function locationMetrics(registry: Registry): LocationObserver {
  const registers = [registry];
  const validations = new Counter({
    name: 'lateen_backup_location_validations_total',
    help: 'Validations of BackupStorageLocations by what they found',
    labelNames: ['backup_location_name', 'result'],
    registers,
  });
  const duration = new Histogram({
    name: 'lateen_backup_location_validation_duration_seconds',
    help: 'How long it took to say whether a BackupStorageLocation can be used',
    labelNames: ['result'],
    buckets: durationBuckets,
    registers,
  });
  let read: (() => LocationReadings) | undefined;
  registerReadings(registry, () => read?.());
  return {
    readings: (reading) => {
      read = reading;
    },
    validated: ({ location, available, ms }) => {
      validations.inc({ backup_location_name: location, result: result(available) });
      duration.observe({ result: result(available) }, ms / 1_000);
    },
    removed: (location) => {
      for (const available of [true, false])
        validations.remove({ backup_location_name: location, result: result(available) });
    },
  };
}

function registerReadings(registry: Registry, read: () => LocationReadings | undefined): void {
  const registers = [registry];
  new Gauge({
    name: 'velero_backup_location_status_gauge',
    help: 'Whether a BackupStorageLocation is available (1) or not (0)',
    labelNames: ['backup_location_name'],
    registers,
    collect() {
      this.reset();
      for (const { metadata, status } of read()?.locations ?? [])
        if (status?.phase !== undefined)
          this.set({ backup_location_name: metadata.name ?? '' }, status.phase === 'Available' ? 1 : 0);
    },
  });
  new Gauge({
    name: 'lateen_backup_location_last_validation_timestamp_seconds',
    help: 'When a BackupStorageLocation was last validated, in seconds since 1970',
    labelNames: ['backup_location_name'],
    registers,
    collect() {
      this.reset();
      for (const { metadata, status } of read()?.locations ?? []) {
        const atMs = Date.parse(status?.lastValidationTime ?? '');
        if (!Number.isNaN(atMs)) this.set({ backup_location_name: metadata.name ?? '' }, atMs / 1_000);
      }
    },
  });
  for (const [name, help, value] of plainGauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const readings = read();
        if (readings !== undefined) this.set(value(readings));
      },
    });
  }
  new Counter({
    name: 'lateen_secret_looks_total',
    help: 'Reads of Secrets of BackupStorageLocations to see whether they have changed',
    registers,
    collect() {
      this.reset();
      this.inc(read()?.secretLooks ?? 0);
    },
  });
}

const plainGauges: readonly [string, string, (readings: LocationReadings) => number][] = [
  [
    'lateen_backup_locations_slow',
    'BackupStorageLocations that did not answer soon enough and are validated apart from the others',
    ({ slow }) => slow,
  ],
  [
    'lateen_backup_location_attempts_unended',
    'Attempts to reach a BackupStorageLocation that have not ended, given up or not',
    ({ attempts }) => attempts,
  ],
  ['lateen_secrets_looked_at', 'Secrets of BackupStorageLocations that are looked at for changes', (r) => r.secrets],
];
