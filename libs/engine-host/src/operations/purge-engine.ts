import { hostError, type PurgeProgress } from '@lateen/block-engine';
import type { LiveEngine } from '../engine/live-engine.ts';
import { shownError } from '../engine/shown-error.ts';
import { refreshSnapshots } from '../engine/snapshots-of.ts';
import { untilSilent } from '../engine/until-silent.ts';

/**
 * Frees the space of removed snapshots, on one replica after the other. First marks snapshots that no user has requested: those of rebuilds, and
 * remains of failed attempts on some replicas. One purge at a time; not while a replica is rebuilt, which needs the layers as they are. Ends when
 * nothing more can be done now. An abort leaves the rest to the next call.
 * @throws `NOT_POSSIBLE_NOW`; the error of a replica that could not purge, after the others have
 */
export async function* purgeEngine(
  engine: LiveEngine,
  signal: AbortSignal,
): AsyncGenerator<PurgeProgress, void, undefined> {
  const { replicas, ended, ports, limits, publish } = engine.parts;
  engine.assertCompared('space is freed');
  engine.assertNotRebuilding('space is freed');
  if (engine.purging !== undefined) throw hostError('NOT_POSSIBLE_NOW', 'space of this volume is being freed already');
  engine.purge = { replica: engine.readable[0] ?? '', doneBytes: 0n, totalBytes: 0n };
  const own = new AbortController();
  engine.purging = own;
  const either = AbortSignal.any([signal, ended, own.signal]);
  let failure: { readonly replica: string; readonly error: unknown } | undefined;
  try {
    await markLeftOver(engine, either);
    for (const name of engine.readable) {
      try {
        const control = await replicas.control(name);
        const purged = untilSilent((ends) => control.purge(replicas.of(name), { signal: ends }), {
          signal: either,
          clock: ports.clock,
          silentMs: limits.purgeSilentMs,
          who: `the purge of ${name}`,
        });
        for await (const progress of purged) {
          engine.purge = progress;
          publish();
          yield progress;
        }
      } catch (error) {
        either.throwIfAborted();
        failure ??= { replica: name, error };
        ports.log.warn({ replica: name, err: error }, 'a replica could not free its space');
      }
    }
  } finally {
    // Also when the consumer stops reading: it ends the replica's stream.
    own.abort(new DOMException('the purge has ended', 'AbortError'));
    engine.purging = undefined;
    engine.purge =
      // The error of the first replica that could not, although others were purged after it.
      failure === undefined
        ? undefined
        : { replica: failure.replica, doneBytes: 0n, totalBytes: 0n, error: shownError(failure.error) };
    publish();
    await refreshSnapshots(engine);
  }
  if (failure !== undefined) throw failure.error;
}

/**
 * Marks a snapshot that a readable replica lacks, because it was never acknowledged or was merged there; one that is removed on some replica, to
 * remove it on all; and those that only a rebuild has made.
 */
async function markLeftOver(engine: LiveEngine, signal: AbortSignal): Promise<void> {
  const { replicas } = engine.parts;
  const { readable } = engine;
  const chains = await Promise.all(
    readable.map((name) => replicas.call(name, signal, (control, o) => control.layers(replicas.of(name), o))),
  );
  const names = new Set(chains.flatMap(({ layers }) => layers.map(({ name }) => name)));
  for (const snapshot of names) {
    const found = chains.map(({ layers }) => layers.find((layer) => layer.name === snapshot));
    const goes = found.some((layer) => layer === undefined || layer.removed || !layer.userCreated);
    if (!goes) continue;
    for (const [index, name] of readable.entries())
      if (found[index]?.removed === false)
        await replicas.call(name, signal, (control, o) => control.markRemoved({ ...replicas.of(name), snapshot }, o));
  }
}
