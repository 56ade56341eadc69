import { hostError, type InstanceHost, type StartRestore } from '@lateen/block-engine';
import { AppError, describeError } from '@lateen/errors';
import { keyOf, keyText, type ObjectKey } from '@lateen/kube';
import type { Watch } from '@lateen/kube-runtime';
import type { Engine } from '@lateen/storage-types';
import { type EngineEffect, type EngineRestoreSeen, restoresOn } from '@lateen/volume-decisions';
import type { RoomContext } from '../frame/room-context.ts';
import { volumeOf } from '../frame/volume-of.ts';
import { LongCalls } from '../hosts/long-calls.ts';
import { stopTransfer } from '../hosts/transfers.ts';
import { targetAddress } from '../targets/backup-targets.ts';
import { Brought } from '../targets/brought.ts';
import { backupSourceOf } from './backup-source.ts';

type RestoreEffect = Extract<EngineEffect, { do: 'restore' }>;

/** Restores that this manager has requested from hosts. They continue without it; it follows them to learn why one has failed, and retries. */
export class RestoreCalls {
  readonly #context: RoomContext;
  readonly #calls: LongCalls;
  readonly #failures = new Brought<string>();

  constructor(context: RoomContext) {
    this.#context = context;
    this.#calls = new LongCalls('restore', context);
  }

  /** Queues the engine of a restore. */
  watches(): readonly Watch[] {
    const { caches, hosts } = this.#context;
    return [
      { informer: caches.engines, feed: (queue) => this.#calls.feed(queue) },
      this.#failures.watch(caches.engines),
      {
        informer: caches.engines,
        feed: (queue) => {
          hosts.onChange(({ node, instances }) => {
            if (instances === 'all' || !instances.some(({ kind }) => kind === 'transfer')) return;
            for (const { volume } of restoresOn(hosts.facts(node)))
              for (const engine of caches.engines.byIndex('volume', volume)) queue.add(keyText(keyOf(engine)));
          });
        },
      },
    ];
  }

  /** Undefined for an engine without a requested restore. */
  seen(engine: Engine): EngineRestoreSeen | undefined {
    const { caches, hosts, namespace } = this.#context;
    if ((engine.spec.requestedBackupRestore ?? '') === '') return undefined;
    const volume = volumeOf(caches, namespace, engine.spec.volumeName ?? '');
    const source = volume === undefined ? undefined : backupSourceOf(this.#context, volume);
    const target = source !== undefined && 'object' in source ? source.object : undefined;
    const failure = this.#failures.get(engine);
    const { name = '' } = target?.metadata ?? {};
    const onNode = restoresOn(hosts.facts(engine.spec.nodeID ?? '')).filter(({ state }) => state === 'running').length;
    return {
      onNode,
      ...(target === undefined ? {} : { target: { name, url: target.spec.backupTargetURL ?? '' } }),
      ...(failure === undefined ? {} : { failure }),
    };
  }

  begin(engine: Engine, effect: RestoreEffect, signal: AbortSignal): void {
    const { hosts } = this.#context;
    const key = keyText(keyOf(engine));
    if (this.#calls.letGoOfOther(key, effect.request.restore)) return;
    const host = () => hosts.host(engine.spec.nodeID ?? '', { kind: 'transfer', name: effect.request.restore });
    const { restore } = effect.request;
    this.#calls.begin(key, restore, (ended) => this.#follow(engine, host, effect, ended), signal);
  }

  forget(key: ObjectKey): void {
    this.#calls.forget(keyText(key));
    this.#failures.forget(key);
  }

  /** @throws the reason why it could not begin or has failed; the next pass writes it into the status */
  async *#follow(engine: Engine, host: () => InstanceHost, effect: RestoreEffect, signal: AbortSignal) {
    try {
      const request = await this.#request(effect, signal);
      if (effect.again) await stopTransfer(this.#context, host(), request.restore, signal);
      for await (const progress of host().startRestore(request, { signal })) {
        if (progress.error !== undefined)
          throw new AppError(progress.error.code, progress.error.message, { retry: 'soon' });
        this.#failures.forget(keyOf(engine));
        yield progress;
      }
    } catch (error) {
      if (!signal.aborted) this.#failures.set(engine, describeError(error));
      throw error;
    }
  }

  async #request({ request, target: name }: RestoreEffect, signal: AbortSignal): Promise<StartRestore> {
    const { caches, kube, namespace } = this.#context;
    const target = caches.backupTargets.get({ namespace, name });
    if (target === undefined) throw hostError('NOT_POSSIBLE_NOW', `backup target ${name} is not there`);
    return { ...request, target: await targetAddress(kube, namespace, target, signal) };
  }
}
