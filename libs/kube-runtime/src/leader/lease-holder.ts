import { type Lease, leaseType } from '@lateen/api-types';
import type { Clock } from '@lateen/kernel';
import { isAlreadyExists, isConflict, isNotFound, type KubeApi } from '@lateen/kube';
import { claimed, type LeaseObservation, leaseState, observe, released } from './lease-claim.ts';

export interface LeaseHolderOptions {
  api: KubeApi;
  namespace: string;
  name: string;
  /** Distinguishes holders: pod name and a random part, so that a restarted pod is a new holder. */
  identity: string;
  clock: Clock;
  leaseDurationMs: number;
}

export type ClaimResult = { held: true } | { held: false; by: string };

/** One candidate's view of one Lease, and its writes to it; each write is guarded by the version that was read. */
export class LeaseHolder {
  readonly #options: LeaseHolderOptions;
  #lease: Lease | undefined;
  #seen: LeaseObservation | undefined;

  constructor(options: LeaseHolderOptions) {
    this.#options = options;
  }

  /** Takes or renews the lease if possible. @throws KubeError; conflicts are results, not errors */
  async claim(signal: AbortSignal): Promise<ClaimResult> {
    const { clock, identity } = this.#options;
    // A holder renews its last written version without a read; if that was changed, the conflict shows it.
    const known = this.#lease?.spec?.holderIdentity === identity ? this.#lease : undefined;
    const lease = known ?? (await this.#read(signal));
    if (lease === undefined) return this.#create(signal);
    this.#seen = observe(lease, this.#seen, clock.monotonicMs());
    const state = leaseState(lease, this.#seen, identity, clock.monotonicMs());
    if (state.kind === 'held') return { held: false, by: state.by };
    try {
      await this.#write({ ...lease, spec: claimed(lease.spec, this.#claim()) }, signal);
      return { held: true };
    } catch (error) {
      this.#lease = undefined;
      if (known !== undefined && (isConflict(error) || isNotFound(error))) return this.claim(signal);
      if (isConflict(error)) return { held: false, by: 'another candidate' };
      throw error;
    }
  }

  /** Releases the lease if it is held, so that others need not wait for its expiry. */
  async release(signal: AbortSignal): Promise<void> {
    const lease = this.#lease;
    this.#lease = undefined;
    if (lease?.spec?.holderIdentity !== this.#options.identity) return;
    await this.#write({ ...lease, spec: released(lease.spec, this.#options.clock.now()) }, signal);
    this.#lease = undefined;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { api, namespace, name } = this.#options;
    try {
      return await api.get(leaseType, { namespace, name }, { signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async #create(signal: AbortSignal): Promise<ClaimResult> {
    const { api, namespace, name } = this.#options;
    const spec = claimed(undefined, this.#claim());
    const lease: Lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace, name }, spec };
    try {
      this.#lease = await api.create(leaseType, lease, { signal });
      return { held: true };
    } catch (error) {
      if (isAlreadyExists(error)) return { held: false, by: 'another candidate' };
      throw error;
    }
  }

  async #write(lease: Lease, signal: AbortSignal): Promise<void> {
    this.#lease = await this.#options.api.update(leaseType, lease, { signal });
  }

  #claim(): { identity: string; leaseDurationMs: number; epochMs: number } {
    const { identity, leaseDurationMs, clock } = this.#options;
    return { identity, leaseDurationMs, epochMs: clock.now() };
  }
}
