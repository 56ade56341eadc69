import { AppError, isAppError } from '@lateen/errors';
import type { CallOptions } from '@lateen/grpc';
import type { ResourceSelector } from '@lateen/item-actions';
import {
  backupItemActionV1,
  backupItemActionV2,
  deleteItemAction,
  isPluginKind,
  itemBlockAction,
  lateenProgram,
  type PluginKind,
  parallelCallsMax,
  pluginLister,
  restoreItemActionV1,
  restoreItemActionV2,
  type ResourceSelector as WireSelector,
  wrongInPluginName,
} from '@lateen/plugin-protocol';
import type { PluginProcess } from '../process/plugin-process.ts';
import type { PluginProblem, ProgramFile } from './find-programs.ts';
import type { PluginOffer } from './plugin-offer.ts';

type AppliesTo = (
  process: PluginProcess,
  plugin: string,
  options: CallOptions,
) => Promise<{ ResourceSelector: WireSelector | undefined }>;

const appliesTo: Readonly<Partial<Record<PluginKind, AppliesTo>>> = {
  BackupItemAction: (process, plugin, options) =>
    process
      .client<backupItemActionV1.BackupItemActionServer>(backupItemActionV1.BackupItemActionClient)
      .appliesTo({ plugin }, options),
  BackupItemActionV2: (process, plugin, options) =>
    process
      .client<backupItemActionV2.BackupItemActionServer>(backupItemActionV2.BackupItemActionClient)
      .appliesTo({ plugin }, options),
  RestoreItemAction: (process, plugin, options) =>
    process
      .client<restoreItemActionV1.RestoreItemActionServer>(restoreItemActionV1.RestoreItemActionClient)
      .appliesTo({ plugin }, options),
  RestoreItemActionV2: (process, plugin, options) =>
    process
      .client<restoreItemActionV2.RestoreItemActionServer>(restoreItemActionV2.RestoreItemActionClient)
      .appliesTo({ plugin }, options),
  DeleteItemAction: (process, plugin, options) =>
    process
      .client<deleteItemAction.DeleteItemActionServer>(deleteItemAction.DeleteItemActionClient)
      .appliesTo({ plugin }, options),
  ItemBlockAction: (process, plugin, options) =>
    process
      .client<itemBlockAction.ItemBlockActionServer>(itemBlockAction.ItemBlockActionClient)
      .appliesTo({ plugin }, options),
};

export interface ListedOffers {
  offers: readonly PluginOffer[];
  problems: readonly PluginProblem[];
}

/**
 * What a program offers, and to which items its actions apply; an unusable plugin is a problem, and the others are used.
 * @throws when the program does not report its plugins
 */
export async function listOffers(
  program: ProgramFile,
  process: PluginProcess,
  options: CallOptions,
): Promise<ListedOffers> {
  const lister = process.client<pluginLister.PluginListerServer>(pluginLister.PluginListerClient);
  const { plugins } = await lister.listPlugins({}, options);
  const parallelCalls = await parallelCallsOf(process, options);
  const offers: PluginOffer[] = [];
  const problems: PluginProblem[] = [];
  for (const { kind, name } of plugins) {
    try {
      offers.push({ program, name, parallelCalls, ...(await checked(process, kind, name, options)) });
    } catch (error) {
      options.signal.throwIfAborted();
      if (!(error instanceof AppError)) throw error;
      problems.push({ program: program.path, message: `${kind} ${JSON.stringify(name)}: ${error.message}` });
    }
  }
  return { offers, problems };
}

/** Only programs of `@lateen/plugin` say it. */
async function parallelCallsOf(process: PluginProcess, options: CallOptions): Promise<number | undefined> {
  try {
    const client = process.client<lateenProgram.ProgramServer>(lateenProgram.ProgramClient);
    const { parallelCalls } = await client.describe({}, options);
    return parallelCalls < 1 ? undefined : Math.min(parallelCalls, parallelCallsMax);
  } catch (error) {
    if (isAppError(error, 'UNIMPLEMENTED')) return undefined;
    throw error;
  }
}

async function checked(
  process: PluginProcess,
  kind: string,
  name: string,
  options: CallOptions,
): Promise<Pick<PluginOffer, 'kind' | 'appliesTo'>> {
  if (!isPluginKind(kind)) throw new AppError('PLUGIN_KIND', 'there is no such kind of plugin');
  const wrong = wrongInPluginName(name);
  if (wrong !== undefined) {
    throw new AppError('PLUGIN_NAME', `its name must be <DNS subdomain>/<name>, and ${wrong}`);
  }
  const answer = await appliesTo[kind]?.(process, name, options);
  return { kind, appliesTo: selectorOf(answer?.ResourceSelector) };
}

/** Empty lists and texts mean all. */
function selectorOf(wire: WireSelector | undefined): ResourceSelector {
  if (wire === undefined) return {};
  const { includedNamespaces, excludedNamespaces, includedResources, excludedResources, selector } = wire;
  const lists = { includedNamespaces, excludedNamespaces, includedResources, excludedResources };
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)),
    ...(selector === '' ? {} : { labelSelector: selector }),
  };
}
