import { type DataMovementPhase, dataMovementPhases, isTerminalPhase, type TerminalPhase } from '@lateen/api-types';
import { hasJustEnded, type MovementChange, type MovementObserver, type MovementReadings } from '@lateen/data-movement';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { PhaseTimes, stages } from './phase-times.ts';
import { podVolumeQueueMetrics } from './pod-volume-queue-metrics.ts';
import { restoreMetrics } from './restore-metrics.ts';

/** Velero's names for how a movement ended (performance.md section 9). */
const results: Readonly<Record<TerminalPhase, string>> = {
  Completed: 'success',
  Failed: 'failure',
  Canceled: 'cancel',
};

/** The label `operation` of our own series, by the kind's name in messages. */
const operations: Readonly<Record<string, string>> = {
  'data upload': 'upload',
  'data download': 'download',
  'pod volume backup': 'pod-volume-backup',
  'pod volume restore': 'pod-volume-restore',
};

/** From an empty volume to a day for terabytes. */
const durationBuckets = [1, 5, 15, 30, 60, 300, 900, 1_800, 3_600, 7_200, 14_400, 86_400];
/** A stage may take a tenth of a second; a wait for a slot may take as long as other movements run. */
const stageBuckets = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];

/** Series of one node-agent; README lists them. Counters follow the changes, gauges are read at each scrape. */
export function movementMetrics(registry: Registry, node: string): MovementObserver {
  const ends = endCounters(registry, node);
  const moving = movementSeries(registry);
  const restored = restoreMetrics(registry, node);
  const queued = podVolumeQueueMetrics(registry, node);
  for (const operation of Object.values(operations)) {
    moving.attempts.inc({ node, operation }, 0);
    moving.bytes.inc({ node, operation }, 0);
  }
  const times = new PhaseTimes();
  for (const counter of [moving.verifications, moving.verificationFailures]) counter.inc({ node }, 0);
  let read: (() => MovementReadings) | undefined;
  registerReadings(registry, node, () => read?.());
  return {
    readings: (reading) => {
      read = reading;
    },
    changed: (change) => {
      const labels = { node, operation: operations[change.words] ?? change.words };
      const time = times.see(change);
      if (time !== undefined) moving.stages.observe({ ...labels, phase: time.stage }, time.ms / 1_000);
      moving.attempts.inc(labels, attemptsBegun(change));
      moving.bytes.inc(labels, bytesSince(change));
      restored(change);
      queued(change);
      if (hasJustEnded(change) && isTerminalPhase(change.present.phase)) {
        const { verification } = change.present;
        if (verification !== undefined) moving.verifications.inc({ node });
        if (verification === 'failed') moving.verificationFailures.inc({ node });
        const { phase } = change.present;
        ends.get(`${change.words}/${phase}`)?.inc({ node });
        const { createdMs, completedMs = change.seenMs } = change;
        if (createdMs !== undefined)
          moving.duration.observe({ ...labels, result: results[phase] }, Math.max(completedMs - createdMs, 0) / 1_000);
      }
    },
  };
}

function endCounters(registry: Registry, node: string): Map<string, Counter> {
  const counters = new Map<string, Counter>();
  for (const words of Object.keys(operations)) {
    for (const [phase, result] of Object.entries(results)) {
      const counter = new Counter({
        name: `podVolume_${words.replaceAll(' ', '_')}_${result}_total`,
        help: `Number of ${words}s of this node that ended as ${phase}`,
        labelNames: ['node'],
        registers: [registry],
      });
      counter.inc({ node }, 0);
      counters.set(`${words}/${phase}`, counter);
    }
  }
  return counters;
}

function movementSeries(registry: Registry) {
  const registers = [registry];
  return {
    duration: new Histogram({
      name: 'podVolume_data_movement_duration_seconds',
      help: 'From the creation of a movement to its end',
      labelNames: ['node', 'operation', 'result'],
      buckets: durationBuckets,
      registers,
    }),
    stages: new Histogram({
      name: 'podVolume_data_movement_phase_duration_seconds',
      help: `Time a movement spent ${stages.join(', ')}`,
      labelNames: ['node', 'operation', 'phase'],
      buckets: stageBuckets,
      registers,
    }),
    bytes: new Counter({
      name: 'podVolume_data_movement_bytes_total',
      help: 'Bytes of volumes that data paths have worked through',
      labelNames: ['node', 'operation'],
      registers,
    }),
    verifications: new Counter({
      name: 'podVolume_data_upload_verifications_total',
      help: 'Uploads of changed blocks that compared unchanged parts of the volume with what is stored',
      labelNames: ['node'],
      registers,
    }),
    verificationFailures: new Counter({
      name: 'podVolume_data_upload_verification_failures_total',
      help: 'Of those, the ones that found a difference',
      labelNames: ['node'],
      registers,
    }),
    attempts: new Counter({
      name: 'podVolume_data_movement_attempts_total',
      help: 'Attempts begun; more than movements when hosting pods were lost',
      labelNames: ['node', 'operation'],
      registers,
    }),
  };
}

/** The first attempt begins with Accepted; the object counts each further one after a lost hosting pod. */
function attemptsBegun({ previous, present }: MovementChange): number {
  if (previous === undefined) return 0;
  const isFirst = previous.phase === 'New' && present.phase !== 'New';
  return Math.max(present.attempts - previous.attempts, 0) + (isFirst ? 1 : 0);
}

/** A new attempt counts from zero, so when there are fewer bytes than before, all of them are new. */
function bytesSince({ previous, present }: MovementChange): number {
  if (previous === undefined) return 0;
  const more = present.bytesDone - previous.bytesDone;
  return more >= 0 ? more : present.bytesDone;
}

/** Gauges that are read at a scrape: `[name, help, value]`. */
const readingGauges: readonly [string, string, (readings: MovementReadings) => number][] = [
  ['podVolume_data_path_slots', 'Data paths that may run at the same time', ({ slots }) => slots.total],
  ['podVolume_data_path_slots_taken', 'Data paths that run', ({ slots }) => slots.taken],
  ['podVolume_data_path_queue_length', 'Prepared movements that wait for a slot', ({ slots }) => slots.waiting],
  ['podVolume_exposures_running', 'Volumes that are being made reachable', ({ exposures }) => exposures.running],
  ['podVolume_exposures_max', 'Volumes that may be made reachable at the same time', ({ exposures }) => exposures.max],
  [
    'podVolume_prepare_queue_length',
    'Movements that are not accepted yet because enough are being prepared',
    ({ prepareQueue }) => prepareQueue.waiting,
  ],
];

function registerReadings(registry: Registry, node: string, read: () => MovementReadings | undefined): void {
  const registers = [registry];
  for (const [name, help, value] of readingGauges) {
    new Gauge({
      name,
      help,
      labelNames: ['node'],
      registers,
      collect() {
        const readings = read();
        if (readings !== undefined) this.set({ node }, value(readings));
      },
    });
  }
  new Gauge({
    name: 'podVolume_data_movements',
    help: 'Movements of this node by phase',
    labelNames: ['node', 'operation', 'phase'],
    registers,
    collect() {
      const readings = read();
      if (readings === undefined) return;
      for (const [words, operation] of Object.entries(operations))
        for (const phase of dataMovementPhases.filter((each) => each !== 'New'))
          this.set({ node, operation, phase }, countOf(readings, words, phase));
    },
  });
  new Counter({
    name: 'podVolume_watch_interruptions_total',
    help: 'Watches of the API server that ended with an error and were started again',
    labelNames: ['node'],
    registers,
    collect() {
      this.reset();
      this.inc({ node }, read()?.watchInterruptions ?? 0);
    },
  });
}

function countOf({ phases }: MovementReadings, words: string, phase: DataMovementPhase): number {
  return phases.find((each) => each.words === words && each.phase === phase)?.count ?? 0;
}
