import { describeError } from '@lateen/errors';
import { type Clock, eachAtOnce, type Logger } from '@lateen/kernel';
import type { PluginLimits } from '../limits.ts';
import type { PluginProcess } from '../process/plugin-process.ts';
import { findPrograms, type PluginProblem, type ProgramFile } from './find-programs.ts';
import { type ListedOffers, listOffers } from './list-offers.ts';
import type { PluginOffer } from './plugin-offer.ts';
import { type BuiltInPlugin, type Registration, registerOffers } from './register-offers.ts';

export interface DiscoverOptions {
  directory: string;
  builtIn: readonly BuiltInPlugin[];
  start(program: ProgramFile, signal: AbortSignal): Promise<PluginProcess>;
  clock: Clock;
  limits: PluginLimits;
  /** Logs what is found, and what cannot be used. */
  log: Logger;
}

/** Starts each program of a folder, asks for its plugins, and ends it. An unusable one is a problem, and the others are used. */
export async function discoverPlugins(options: DiscoverOptions, signal: AbortSignal): Promise<Registration> {
  const found = await findPrograms(options.directory);
  const offers: PluginOffer[] = [];
  const problems: PluginProblem[] = [...found.problems];
  await eachAtOnce(found.programs, options.limits.discoveriesAtOnce, async (program) => {
    const listed = await ask(program, options, signal);
    offers.push(...listed.offers);
    problems.push(...listed.problems);
  });
  const registered = registerOffers(offers, options.builtIn);
  const all = { ...registered, problems: [...problems, ...registered.problems] };
  tell(all, options.log);
  return all;
}

async function ask(program: ProgramFile, options: DiscoverOptions, signal: AbortSignal): Promise<ListedOffers> {
  const { start, clock, limits } = options;
  let process: PluginProcess | undefined;
  try {
    process = await start(program, signal);
    const either = AbortSignal.any([signal, process.ended, clock.deadline(limits.startMs)]);
    return await listOffers(program, process, { signal: either });
  } catch (error) {
    signal.throwIfAborted();
    return { offers: [], problems: [{ program: program.path, message: describeError(error) }] };
  } finally {
    await process?.stop();
  }
}

function tell({ plugins, problems, notes }: Registration, log: Logger): void {
  for (const { kind, name, program } of plugins) log.info({ kind, name, command: program.path }, 'registering plugin');
  for (const { program, message } of notes) log.info({ program, why: message }, 'a plugin of a program is not used');
  for (const { program, message } of problems)
    log.error({ program, why: message }, 'a plugin program, or a plugin of it, cannot be used');
}
