import { secretType } from '@lateen/api-types';
import type { Clock, Logger } from '@lateen/kernel';
import { isNotFound, type KubeApi } from '@lateen/kube';
import type { SecretKey } from '@lateen/storage-location';

/**
 * Every Secret in use is read once per round. A round takes longer with so many Secrets that the gap between two
 * reads would be less than `gapMinMs`: so there are at most 20 reads each second, and one Secret that a
 * thousand locations use costs one read per round.
 */
export const secretLookLimits = { roundMs: 4_000, gapMinMs: 50, idleMs: 500, answerMs: 10_000 } as const;

export interface SecretLooksOptions {
  kube: Pick<KubeApi, 'get'>;
  clock: Clock;
  log: Logger;
  /** Told of each user of a Secret that is not what it was. */
  onChanged(user: string): void;
}

/** One Secret that is in use. */
interface Known {
  secret: SecretName;
  users: Set<string>;
  /** Undefined until it has been read. */
  version: string | undefined;
}

type SecretName = Pick<SecretKey, 'namespace' | 'name'>;

/** The version of a Secret that does not exist. */
const noSecret = 'none';

const nameOf = ({ namespace, name }: SecretName): string => `${namespace}/${name}`;

/**
 * Detects changes of Secrets by reading those in use by name periodically: Secrets are never listed or
 * watched, because the right to do so would allow reading all of them. Keeps versions, no content.
 */
export class SecretLooks {
  readonly #options: SecretLooksOptions;
  readonly #known = new Map<string, Known>();
  /** What each user uses. */
  readonly #uses = new Map<string, readonly string[]>();
  #looks = 0;

  constructor(options: SecretLooksOptions) {
    this.#options = options;
  }

  /** Secrets in use now. */
  get size(): number {
    return this.#known.size;
  }

  /** Reads made so far by {@link run}. */
  get looks(): number {
    return this.#looks;
  }

  /** From now on `user` uses these Secrets and no others; none at all ends it. */
  use(user: string, secrets: readonly SecretName[]): void {
    const names = secrets.map(nameOf);
    for (const gone of (this.#uses.get(user) ?? []).filter((name) => !names.includes(name))) this.#leave(user, gone);
    if (names.length === 0) this.#uses.delete(user);
    else this.#uses.set(user, names);
    for (const secret of secrets) {
      const known = this.#known.get(nameOf(secret)) ?? { secret, users: new Set(), version: undefined };
      known.users.add(user);
      this.#known.set(nameOf(secret), known);
    }
  }

  /** The version that was last seen; undefined for a Secret that was not read yet. */
  version(secret: SecretName): string | undefined {
    return this.#known.get(nameOf(secret))?.version;
  }

  /** A KubeApi that notes the versions of the Secrets that are read through it, here and in `read` by `namespace/name`. */
  noting(kube: KubeApi, read: Map<string, string>): KubeApi {
    const note = (secret: SecretName, version: string) => {
      read.set(nameOf(secret), version);
      this.#saw(nameOf(secret), version);
    };
    const get: KubeApi['get'] = async (type, key, options) => {
      const secret =
        type.resource === secretType.resource ? { namespace: key.namespace ?? '', name: key.name } : undefined;
      try {
        const object = await kube.get(type, key, options);
        if (secret !== undefined) note(secret, versionOf(object));
        return object;
      } catch (error) {
        if (secret !== undefined && isNotFound(error)) note(secret, noSecret);
        throw error;
      }
    };
    return {
      get,
      list: (...args) => kube.list(...args),
      watch: (...args) => kube.watch(...args),
      create: (...args) => kube.create(...args),
      update: (...args) => kube.update(...args),
      patch: (...args) => kube.patch(...args),
      delete: (...args) => kube.delete(...args),
    };
  }

  /** Looks, round by round, until `signal` aborts; then resolves. A look that fails is no change. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const { roundMs, gapMinMs, idleMs } = secretLookLimits;
    const napped = (ms: number) =>
      clock.sleep(ms, signal).then(
        () => true,
        () => false,
      );
    while (!signal.aborted) {
      const round = [...this.#known.values()];
      if (round.length === 0 && !(await napped(idleMs))) return;
      const gapMs = Math.max(roundMs / round.length, gapMinMs);
      for (const known of round) {
        if (!(await napped(gapMs))) return;
        if (known.users.size > 0) await this.#look(known, signal);
      }
    }
  }

  async #look({ secret }: Known, signal: AbortSignal): Promise<void> {
    const { kube, clock, log } = this.#options;
    this.#looks += 1;
    try {
      const either = AbortSignal.any([signal, clock.deadline(secretLookLimits.answerMs)]);
      this.#saw(nameOf(secret), await secretVersion(kube, secret, either));
    } catch (error) {
      if (!signal.aborted) log.debug({ err: error, secret: nameOf(secret) }, 'a Secret could not be checked');
    }
  }

  #saw(name: string, version: string): void {
    const known = this.#known.get(name);
    if (known === undefined || known.version === version) return;
    const isFirst = known.version === undefined;
    known.version = version;
    if (!isFirst) for (const user of known.users) this.#options.onChanged(user);
  }

  #leave(user: string, name: string): void {
    const known = this.#known.get(name);
    known?.users.delete(user);
    if (known?.users.size === 0) this.#known.delete(name);
  }
}

/** Changes when the Secret does; `none` when there is none. @throws KUBE_… */
async function secretVersion(
  kube: Pick<KubeApi, 'get'>,
  { namespace, name }: SecretName,
  signal: AbortSignal,
): Promise<string> {
  try {
    return versionOf(await kube.get(secretType, { namespace, name }, { signal }));
  } catch (error) {
    if (isNotFound(error)) return noSecret;
    throw error;
  }
}

const versionOf = ({ metadata }: { metadata: { uid?: string; resourceVersion?: string } }): string =>
  `${metadata.uid} ${metadata.resourceVersion}`;
