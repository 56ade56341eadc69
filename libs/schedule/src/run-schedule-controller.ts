import { type Backup, getValidName, labels, type Schedule, scheduleType } from '@lateen/api-types';
import type { KubeApi, ObjectKey } from '@lateen/kube';
import { keyOf, keyText } from '@lateen/kube';
import {
  byLabel,
  type ControllerBase,
  controller,
  eventRecorder,
  type Informer,
  informer,
  watches,
  withSpecOr,
} from '@lateen/kube-runtime';
import { watchClock } from './run/clock-jumps.ts';
import type { ScheduleObserver } from './run/schedule-observer.ts';
import { scheduleReconciler } from './run/schedule-reconciler.ts';

export interface ScheduleControllerOptions extends ControllerBase {
  kube: KubeApi;
  /** Only Schedules of this namespace are followed. */
  namespace: string;
  /** Of that namespace, with {@link backupIndexers}; the caller runs it. */
  backups: Informer<Backup>;
  /** Whether a new Schedule that does not say it leaves out what is due at once (`--schedule-skip-immediately`). */
  scheduleSkipImmediately?: boolean;
  /** Of the Events: this process, among replicas. */
  identity: string;
  scheduleObserver?: ScheduleObserver | undefined;
}

/** How the Backups of a Schedule are found. */
export const backupIndexers = { schedule: byLabel(labels.scheduleName) } as const;

/** Schedules worked on at once: each run is three calls of the API server, and hundreds may be due in one second. */
export const scheduleWorkers = 8;

const schedulesMax = 100_000;

/** Runs the controller of Schedules until `signal` aborts. */
export async function runScheduleController(options: ScheduleControllerOptions, signal: AbortSignal): Promise<void> {
  const { kube, namespace, backups, identity, clock, random, log } = options;
  const informed = { api: kube, namespace, clock, random, log };
  const events = eventRecorder({ ...informed, component: 'lateen-controller', host: identity });
  const schedules = informer({
    ...informed,
    type: scheduleType,
    transform: wholeSchedule,
    indexers: { label: ({ metadata }: Schedule) => [getValidName(metadata.name ?? '')] },
  });
  const schedulesOf = ({ metadata }: Backup): ObjectKey[] =>
    schedules.byIndex('label', metadata.labels?.[labels.scheduleName] ?? '').map(keyOf);
  const { queue, run } = controller(options, {
    name: 'schedule',
    for: schedules,
    watches: [watches(backups, ({ object }) => schedulesOf(object))],
    reconciler: () =>
      scheduleReconciler({
        kube,
        getSchedule: schedules.get,
        backupsOf: (name) => backups.byIndex('schedule', getValidName(name)),
        skipImmediately: options.scheduleSkipImmediately ?? false,
        events,
        observer: options.scheduleObserver,
        clock,
        log,
      }),
    workers: scheduleWorkers,
    limits: { keysMax: schedulesMax },
  });
  const lookAtAll = () => {
    for (const schedule of schedules.list()) queue.add(keyText(keyOf(schedule)));
  };
  await Promise.all([schedules.run(signal), run(signal), watchClock(clock, lookAtAll, signal)]);
}

function wholeSchedule(schedule: Schedule): Schedule {
  const kept = withSpecOr<Schedule>(() => ({ schedule: '', template: {} }))(schedule);
  kept.spec.template ??= {};
  kept.spec.schedule ??= '';
  return kept;
}
