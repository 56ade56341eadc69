import { volumeMoves, volumeStateOf } from '@lateen/storage-types';
import { decideEngine } from '../engine/decide-engine.ts';
import { decideReplica } from '../replica/decide-replica.ts';
import { aCluster, aNode } from '../scheduler/example-cluster.ts';
import { defaultSettings } from '../settings/read-settings.ts';
import { decideVolume } from '../volume/decide-volume.ts';
import type { VolumeSeen } from '../volume/volume-seen.ts';

import { ModelEffects } from './model-effects.ts';

/** One volume: its objects, its hosts, and the managers that look after it. */
export class ModelWorld extends ModelEffects {
  waits = '';

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

  /** One pass of the volume's room over what is there, or over what was read before; it may die after some of its effects. */
  passVolume({ stale = false, dies = Number.POSITIVE_INFINITY } = {}): void {
    if (!stale || this.snapshot === undefined) this.read();
    const { seen, versions } = this.snapshot as { seen: VolumeSeen; versions: Map<string, number> };
    const decision = decideVolume(seen, this.nowMs);
    this.waits = decision.waitsFor ?? '';
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

  passEngine(): void {
    if (this.engine === undefined) return;
    const engine = this.engine;
    const node = engine.spec.nodeID ?? '';
    const managers = new Map([...this.nodes.keys()].map((name) => [name, `${name}:8500`]));
    const { status, effects } = decideEngine(
      {
        engine: engine,
        replicas: [...this.replicas.values()],
        host: this.host(node),
        managers,
        settings: defaultSettings,
        sinceProgressMs: 0,
      },
      this.nowMs,
    );
    for (const effect of effects) this.applyEngine(effect, node);
    if (effects.length > 0) this.changes++;
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
    const { status, effects } = decideReplica(seen, this.nowMs);
    for (const effect of effects) this.applyReplica(effect, name);
    if (effects.length > 0) this.changes++;
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
