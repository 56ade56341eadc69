import { annotations } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { type KubeApi, keyOf, retryOnConflict } from '@lateen/kube';
import type { PhaseOf, RunKind, RunPatch } from '../run-kind.ts';
import type { RunObject } from '../run-object.ts';

export interface WritePorts<R extends RunObject> {
  kube: KubeApi;
  /** Called for each stored change of phase: Events, log and metrics follow from it. */
  onMove(before: R, after: R): void;
}

type Kube = Pick<WritePorts<RunObject>, 'kube'>;

/** Guarded writes to Backups or Restores. There is no status subresource (api.md section 1). */
export interface RunWrites<R extends RunObject> {
  readonly kind: RunKind<R>;
  /** Guarded by its resourceVersion. @throws KUBE_CONFLICT, KUBE_NOT_FOUND */
  write(ports: Kube, run: R, patch: RunPatch<R>, signal?: AbortSignal): Promise<R>;
  /**
   * Moves it to another phase, guarded by its resourceVersion: one of several writers wins, the others get KUBE_CONFLICT. Our
   * finalizer is on the object exactly while the run is under way.
   * @throws PHASE_MOVE_ILLEGAL when the present phase does not allow it; KUBE_CONFLICT, KUBE_NOT_FOUND
   */
  move(ports: WritePorts<R>, run: R, to: PhaseOf<R>, patch?: RunPatch<R>, signal?: AbortSignal): Promise<R>;
  /** Removes our finalizer from an object that is being deleted. @throws KUBE_CONFLICT, KUBE_NOT_FOUND */
  release(ports: Kube, run: R): Promise<void>;
  /**
   * For a writer that must not lose a race: reads the object first, and again after a conflict. `act` checks whether it is still
   * the expected object.
   * @throws KUBE_NOT_FOUND, what `act` throws, KUBE_CONFLICT after ten in a row
   */
  onLatest(ports: Kube, run: R, act: (latest: R) => Promise<R>, signal?: AbortSignal): Promise<R>;
  isHeld(run: Pick<R, 'metadata'>): boolean;
  isUnderWay(run: Pick<RunObject, 'status'>): boolean;
}

export function runWrites<R extends RunObject>(kind: RunKind<R>): RunWrites<R> {
  const { type, phases } = kind;
  const isUnderWay = phases.isIn(...kind.underWay);
  const send = async ({ kube }: Kube, run: R, metadata: object, patch: RunPatch<R>, signal?: AbortSignal) => {
    const { labels, annotations: notes, ...fields } = patch;
    const body = {
      metadata: {
        resourceVersion: run.metadata.resourceVersion,
        ...(labels === undefined ? {} : { labels }),
        ...(notes === undefined ? {} : { annotations: notes }),
        ...metadata,
      },
      ...fields,
    };
    return await kube.patch(type, keyOf(run), { type: 'merge', body }, { signal });
  };
  return {
    kind,
    isUnderWay,
    isHeld: (run) => hasFinalizer(run, kind.finalizer),
    write: (ports, run, patch, signal) => send(ports, run, {}, patch, signal),
    release: async (ports, run) => {
      await send(ports, run, heldAsNeeded(kind, run, false), {});
    },
    move: async (ports, run, to, patch = {}, signal) => {
      const from = phases.phaseOf(run);
      if (!phases.mayMove(from, to))
        throw new AppError(
          'PHASE_MOVE_ILLEGAL',
          `${type.kind} ${run.metadata.name} is ${from} and cannot become ${to}`,
        );
      const status = { ...inOrder(run, (patch.status ?? {}) as { completionTimestamp?: string | null }), phase: to };
      const metadata = heldAsNeeded(kind, run, kind.underWay.includes(to));
      const notes = kind.notesOnMove?.(run, to);
      const fields = notes === undefined ? {} : { annotations: { ...patch.annotations, ...notes } };
      const moved = await send(ports, run, metadata, { ...patch, ...fields, status } as RunPatch<R>, signal);
      ports.onMove(run, moved);
      return moved;
    },
    onLatest: ({ kube }, run, act, signal) =>
      retryOnConflict(async () => act(await kube.get(type, keyOf(run), { signal }))),
  };
}

/** A run never ends before its start, even when the clock was set back meanwhile. Pure. */
export function inOrder<S extends { completionTimestamp?: string | null }>(
  { status }: Pick<RunObject, 'status'>,
  patch: S,
): S {
  const start = status?.startTimestamp;
  const end = patch.completionTimestamp;
  return start && end && Date.parse(end) < Date.parse(start) ? { ...patch, completionTimestamp: start } : patch;
}

/** The identity of the process that works on it; undefined before the first claim. */
export const workedOnBy = ({ metadata }: Pick<RunObject, 'metadata'>): string | undefined =>
  metadata.annotations?.[annotations.workedOnBy];

/** A status after a patch, as the API server merges it: null removes a field. Pure. */
export function patchedStatus<S extends object>(status: S | undefined, patch: { [K in keyof S]?: S[K] | null }): S {
  const merged = Object.entries({ ...status, ...patch }).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(merged) as S;
}

const hasFinalizer = ({ metadata }: Pick<RunObject, 'metadata'>, name: string): boolean =>
  metadata.finalizers?.includes(name) ?? false;

/** The API server refuses new finalizers on an object that is being deleted. */
function heldAsNeeded<R extends RunObject>(kind: RunKind<R>, run: R, held: boolean): { finalizers?: string[] } {
  const names = run.metadata.finalizers ?? [];
  if (!held) {
    const left = names.filter((name) => name !== kind.finalizer);
    return left.length === names.length ? {} : { finalizers: left };
  }
  if (run.metadata.deletionTimestamp !== undefined) return {};
  const wanted = [kind.finalizer, ...(kind.lastingFinalizer === undefined ? [] : [kind.lastingFinalizer])];
  const missing = wanted.filter((name) => !names.includes(name));
  return missing.length === 0 ? {} : { finalizers: [...names, ...missing] };
}
