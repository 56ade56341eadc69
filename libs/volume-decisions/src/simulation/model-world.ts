import type { EngineState } from '@lateen/block-engine';
import { volumeMoves, volumeStateOf } from '@lateen/storage-types';
import { decideEngine } from '../engine/decide-engine.ts';
import { decideReplica, type ReplicaEffect } from '../replica/decide-replica.ts';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { defaultSettings } from '../settings/read-settings.ts';
import { decideVolume } from '../volume/decide-volume.ts';
import type { VolumeSeen } from '../volume/volume-seen.ts';

import { ModelEffects } from './model-effects.ts';
import type { Process } from './model-hosts.ts';

/** The rules that are checked; tests replace one with a wrong rule. */
export interface ModelRules {
  readonly decideVolume: typeof decideVolume;
  readonly decideEngine: typeof decideEngine;
  readonly decideReplica: typeof decideReplica;
}

/** One volume: its objects, its hosts, and the managers that process it. */
export class ModelWorld extends ModelEffects {
  waits = '';

  /** The last report of an engine's host, with the process that sent it. */
  protected heard: { process: Process; engine: EngineState } | undefined;

  private readonly rules: ModelRules;

  constructor(rules: Partial<ModelRules> = {}) {
    super();
    this.rules = { decideVolume, decideEngine, decideReplica, ...rules };
  }

  protected snapshot: { seen: VolumeSeen; versions: Map<string, number> } | undefined;

  seen(): VolumeSeen {
    const promised = this.promiseSinceMs;
    return {
      volume: this.volume,
      ...(this.engine === undefined ? {} : { engine: this.engine }),
      replicas: [...this.replicas.values()],
      snapshots: [],
      hasAttachment: false,
      start: {
        sinceGenerationMs: this.nowMs - this.generationSinceMs,
        ...(promised === undefined ? {} : { sinceFirstPromiseMs: this.nowMs - promised }),
      },
      rebuildsOn: new Map(),
      downNodes: new Set(this.declared),
      uuids: Array.from(
        { length: 20 },
        (_, n) => `${String(this.ids + n).padStart(8, '0')}-0000-4000-8000-000000000000`,
      ),
      cluster: aCluster(
        ...[...this.nodes].map(([name, state]) => aNode(name, { ready: state === 'up', managerIsUp: state === 'up' })),
      ),
      settings: defaultSettings,
    };
  }

  read(): void {
    this.snapshot = { seen: this.seen(), versions: new Map(this.versions) };
  }

  /** One pass of the volume controller over the present objects, or over stale ones; it may die after some of its effects. */
  passVolume({ stale = false, dies = Number.POSITIVE_INFINITY } = {}): void {
    if (!stale || this.snapshot === undefined) this.read();
    const { seen, versions } = this.snapshot as { seen: VolumeSeen; versions: Map<string, number> };
    const decision = this.rules.decideVolume(seen, this.nowMs);
    this.waits = decision.waitsFor ?? '';
    this.tellsOfKills = decision.events.some(({ reason }) => reason === 'AllReplicasKilled');
    let left = dies;
    for (const effect of decision.effects) {
      if (left-- <= 0 || !this.applyVolume(effect, versions, seen)) return;
    }
    if (decision.events.some(({ reason, type }) => reason === 'Salvaged' && type === 'Warning')) this.mayLack = true;
    if (left <= 0 || versions.get('volume') !== this.versions.get('volume')) return;
    const from = volumeStateOf(this.volume);
    const to = decision.status.state ?? 'creating';
    if (from !== to && !(volumeMoves[from] as readonly string[]).includes(to))
      throw new Error(`moved from ${from} to ${to}`);
    this.store('volume', this.volume.status, decision.status, () => {
      this.volume = { ...this.volume, status: decision.status };
    });
  }

  /** `late`: the modes come from the last report of its host; all other facts are current. */
  passEngine({ late = false } = {}): void {
    if (this.engine === undefined) return;
    const engine = this.engine;
    const version = this.versions.get('engine');
    const node = engine.spec.nodeID ?? '';
    const managers = new Map([...this.nodes.keys()].map((name) => [name, `${name}:8500`]));
    const host = this.host(node);
    const process = this.processes.filter((each) => each.node === node).at(-1);
    if (process !== undefined && host.reach === 'answers' && (!late || this.heard?.process !== process))
      this.heard = { process, engine: this.stateOf(process) };
    const told = this.heard?.process === process ? this.heard?.engine : undefined;
    const instances = host.instances.map((instance) =>
      instance.engine === undefined || told === undefined ? instance : { ...instance, engine: told },
    );
    const { status, effects } = this.rules.decideEngine(
      {
        engine: engine,
        volumeUid: 'uid-vol',
        replicas: [...this.replicas.values()],
        host: { ...host, instances },
        managers,
        settings: defaultSettings,
        sinceProgressMs: 0,
      },
      this.nowMs,
    );
    for (const effect of effects) this.applyEngine(effect, node);
    if (effects.length > 0) this.changes++;
    // The host may have recorded a failure meanwhile.
    if (this.versions.get('engine') !== version) return;
    const before = this.engine;
    this.store('engine', before.status, status, () => {
      this.engine = { ...before, status: status };
    });
  }

  passReplica(name: string): void {
    const replica = this.replicas.get(name);
    if (replica === undefined) return;
    const node = replica.spec.nodeID ?? '';
    const engine = this.engine === undefined ? {} : { engine: this.engine };
    const seen = { replica: replica, ...engine, volumeUid: 'uid-vol', host: this.host(node) };
    const { status, effects } = this.rules.decideReplica(seen, this.nowMs);
    // A refused effect is requested again each time, without a result.
    const isRefused = (effect: ReplicaEffect) =>
      effect.do === 'ensure-replica' && this.disk(name).killedIn === effect.request.generation;
    if (!effects.every(isRefused)) this.changes++;
    for (const effect of effects) this.applyReplica(effect, name);
    const now = this.replicas.get(name);
    if (now === undefined) return;
    this.store(name, now.status, status, () => this.replicas.set(name, { ...now, status: status }));
  }

  passAll(): void {
    this.passVolume();
    this.passEngine();
    for (const name of [...this.replicas.keys()]) this.passReplica(name);
    this.nowMs += 100;
  }
}
