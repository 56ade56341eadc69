import type { Instance, InstanceEvent, InstanceHost, InstanceRef } from '@lateen/block-engine';
import { type BackoffLimits, backoffMs, type Clock, type Logger, type Random } from '@lateen/kernel';

/** The address of an instance manager. */
export interface HostPeer {
  readonly node: string;
  /** Name of the InstanceManager. */
  readonly instanceManager: string;
  readonly host: string;
  readonly port: number;
}

export interface HostConnection {
  readonly host: InstanceHost;
  close(): void;
}

/** A change on a host: of these instances, or of whether it answers, which changes everything known about it. */
export type HostChange = { readonly node: string; readonly instances: readonly InstanceRef[] | 'all' };

export interface HostLinkPorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  tell(change: HostChange): void;
}

/** Delay between two attempts to watch a host that does not answer. */
const watchBackoff: BackoffLimits = { firstMs: 500, maxMs: 15_000, factor: 2, jitter: 0.2 };

/** What one instance manager reports, as long as it is followed. Memory: its instances. */
export class HostLink {
  readonly peer: HostPeer;
  readonly connection: HostConnection;
  readonly #ports: HostLinkPorts;
  #instances = new Map<string, Instance>();
  #answers = false;

  constructor(peer: HostPeer, connection: HostConnection, ports: HostLinkPorts) {
    this.peer = peer;
    this.connection = connection;
    this.#ports = ports;
  }

  /** True when its watch is synced and alive. */
  get answers(): boolean {
    return this.#answers;
  }

  /** All of its instances while it answers. */
  get instances(): readonly Instance[] {
    return this.#answers ? [...this.#instances.values()] : [];
  }

  get(kind: string, name: string): Instance | undefined {
    return this.#answers ? this.#instances.get(`${kind}/${name}`) : undefined;
  }

  /** Watches until `signal` aborts; begins again after each end. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#ports;
    const { node, instanceManager } = this.peer;
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#watch(signal, () => {
          failures = 0;
        });
      } catch (error) {
        if (signal.aborted) break;
        log.debug({ node, instanceManager, err: error }, 'the watch of the instance manager has ended');
      }
      this.#fallSilent();
      failures += 1;
      await clock.sleep(backoffMs(failures, watchBackoff, random), signal).catch(() => {});
    }
    this.#fallSilent();
    this.connection.close();
  }

  async #watch(signal: AbortSignal, onSynced: () => void): Promise<void> {
    const found = new Map<string, Instance>();
    for await (const event of this.connection.host.watch({ signal })) {
      if (event.type === 'synced') {
        onSynced();
        this.#instances = found;
        this.#answers = true;
        this.#ports.tell({ node: this.peer.node, instances: 'all' });
      } else {
        this.#take(found, event);
      }
    }
  }

  #take(found: Map<string, Instance>, event: Exclude<InstanceEvent, { type: 'synced' }>): void {
    if (event.type === 'heartbeat') return;
    const { kind, name } = event.instance;
    if (event.type === 'changed') found.set(`${kind}/${name}`, event.instance);
    else found.delete(`${kind}/${name}`);
    if (this.#answers) this.#ports.tell({ node: this.peer.node, instances: [{ kind, name }] });
  }

  #fallSilent(): void {
    if (!this.#answers) return;
    this.#answers = false;
    this.#instances = new Map();
    this.#ports.tell({ node: this.peer.node, instances: 'all' });
  }
}
