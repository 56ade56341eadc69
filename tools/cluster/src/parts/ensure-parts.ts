import { access, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '@lateen/errors';
import { withFileLock } from '@lateen/image';
import { type Clock, durationText, followSignals, settleAll, systemClock } from '@lateen/kernel';
import type { Progress } from '../progress/progress.ts';
import { during } from '../progress/progress.ts';
import { cacheDir } from './cache-dir.ts';
import { ensureDebianPart } from './debian-part.ts';
import { debianPartNames, debianParts } from './debian-part-table.ts';
import { go, goDirective, requireGo } from './go-toolchain.ts';
import { findInstalled } from './installed-binary.ts';
import { buildFlags, partKey } from './part-key.ts';
import { type Part, parts } from './part-table.ts';
import { partsDir } from './parts-dir.ts';

export interface EnsurePartsOptions {
  signal?: AbortSignal | undefined;
  env?: Readonly<Record<string, string | undefined>>;
  clock?: Clock;
}

/** Minimum usual time of builds for the estimate of the pace. */
const paceFromMs = 60_000;

/**
 * Paths of the named programs, which are built when missing: from the cache, else an installed binary with exactly the pinned version, else
 * `go build`. For Debian parts the folder of their programs, see `ensureDebianPart`. Several processes may call it at the same time: one
 * builds, the others wait. On abort nothing incomplete is left in the cache.
 * @throws PART_UNKNOWN, GO_MISSING, GO_TOO_OLD, COMMAND_FAILED, LOCK_FAILED, PACKAGES_UNAVAILABLE, IMAGE_NOT_DEBIAN
 */
export async function ensureParts(
  names: readonly string[],
  progress: Progress,
  options: EnsurePartsOptions = {},
): Promise<Record<string, string>> {
  const env = options.env ?? process.env;
  const found: Record<string, string> = {};
  const missing: Part[] = [];
  for (const name of new Set(names)) {
    const debian = debianParts.find((candidate) => candidate.name === name);
    if (debian !== undefined) {
      found[name] = await ensureDebianPart(debian, progress, { env, signal: options.signal });
      continue;
    }
    const part = partNamed(name);
    const path = (await cached(part, env)) ?? (await findInstalled(part, env, options.signal));
    if (path === undefined) missing.push(part);
    else found[name] = path;
  }
  if (missing.length > 0) await requireGoFor(missing, options.signal);
  const plan = new BuildPlan(missing, options.clock ?? systemClock);
  const ends = followSignals(options.signal);
  const buildLane = async (lane: readonly Part[]): Promise<void> => {
    try {
      for (const part of lane) {
        const label = plan.begin(part);
        found[part.name] = await during(progress, label, () => build(part, env, progress, ends.signal));
        plan.done(part);
      }
    } catch (error) {
      // All parts are necessary, so the other lane ends too.
      ends.abort(error);
      throw error;
    }
  };
  // Two builds in parallel: while the linker of one uses one core, the other compiles or downloads its modules.
  const lanes = [...Map.groupBy(missing, ({ lane }) => lane).values()];
  try {
    await settleAll(lanes.map(buildLane));
  } finally {
    ends.release();
  }
  return found;
}

/**
 * The parts that are being built, and the estimated remaining time: from the parts' usual times and the pace so far, because machines and
 * caches differ.
 */
class BuildPlan {
  readonly #parts: readonly Part[];
  readonly #clock: Clock;
  readonly #startedMs: number;
  #begun = 0;
  #doneMs = 0;
  readonly #beginnings = new Map<Part, number>();

  constructor(parts: readonly Part[], clock: Clock) {
    this.#parts = parts;
    this.#clock = clock;
    this.#startedMs = clock.monotonicMs();
  }

  /** Its label. */
  begin(part: Part): string {
    const nowMs = this.#clock.monotonicMs();
    const allMs = this.#parts.reduce((sum, each) => sum + usualMs(each), 0);
    // Parallel builds share the machine.
    const underWay = [...this.#beginnings].map(([other, sinceMs]) => Math.min(usualMs(other), (nowMs - sinceMs) / 2));
    const doneMs = underWay.reduce((sum, ms) => sum + ms, this.#doneMs);
    // The time of short parts says little about the others.
    const pace = doneMs < paceFromMs ? 1 : (nowMs - this.#startedMs) / doneMs;
    const leftMs = Math.max(1000, Math.round((pace * (allMs - doneMs)) / 1000) * 1000);
    this.#begun += 1;
    this.#beginnings.set(part, nowMs);
    return `building ${part.name} (part ${this.#begun} of ${this.#parts.length}, about ${durationText(leftMs)} left)`;
  }

  done(part: Part): void {
    this.#beginnings.delete(part);
    this.#doneMs += usualMs(part);
  }
}

const usualMs = ({ buildSeconds }: Part): number => buildSeconds * 1000;

function partNamed(name: string): Part {
  const part = parts.find((candidate) => candidate.name === name);
  if (part === undefined)
    throw new AppError('PART_UNKNOWN', `there is no part named "${name}"`, {
      nextStep: `Known parts: ${[...parts.map((candidate) => candidate.name), ...debianPartNames].join(', ')}.`,
    });
  return part;
}

async function requireGoFor(missing: readonly Part[], signal: AbortSignal | undefined): Promise<void> {
  for (const module of new Set(missing.map((part) => part.module))) {
    const folder = join(partsDir, module);
    await requireGo(goDirective(await readFile(join(folder, 'go.mod'), 'utf8')), folder, signal);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

async function cachePath(part: Part, env: Environment): Promise<string> {
  return join(cacheDir(env), 'parts', await partKey(part, partsDir), part.name);
}

async function cached(part: Part, env: Environment): Promise<string | undefined> {
  const path = await cachePath(part, env);
  return access(path).then(
    () => path,
    () => undefined,
  );
}

async function build(
  part: Part,
  env: Environment,
  progress: Progress,
  signal: AbortSignal | undefined,
): Promise<string> {
  const path = await cachePath(part, env);
  const lock = join(cacheDir(env), 'locks', `${part.name}.lock`);
  const onWait = (): void => progress.note(`waiting for another process that builds ${part.name}`);
  return withFileLock(lock, { onWait, signal }, async () => {
    if ((await cached(part, env)) !== undefined) return path;
    // Beside its final place, so that the rename does not cross file systems.
    const unfinished = join(cacheDir(env), 'parts', `.${part.name}.${process.pid}`);
    try {
      await mkdir(join(path, '..'), { recursive: true });
      await go(['build', ...buildFlags(part), '-o', unfinished, part.package], join(partsDir, part.module), { signal });
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    return path;
  });
}
