import { listedPriorities, parsePriorities, type RestoreSettings, restoreSettingsDefault } from '@lateen/restore';
import { type Command, Option, type OptionValues } from 'commander';
import { durationMs } from './flag-values.ts';
import { durationFlag, numberFlag } from './server-flags.ts';

const usual = restoreSettingsDefault;

/** Flags of restores, with Velero's names where it has them (performance.md section 1). */
export function addRestoreFlags(command: Command): Command {
  return command
    .addOption(
      numberFlag('--concurrent-restores', 'restores that run at the same time', usual.concurrentRestores, 1, 100),
    )
    .addOption(
      numberFlag(
        '--restore-parallel',
        'objects of a restore under way at the same time, at most; 1 for one after the other',
        usual.parallel,
        1,
        1_000,
      ),
    )
    .addOption(
      new Option(
        '--restore-resource-priorities <names>',
        'resources in the order of their restore: first ones, "-", last ones; replaces the whole list',
      )
        .argParser(priorities)
        .default(usual.priorities, 'as in the README'),
    )
    .addOption(
      durationFlag(
        '--terminating-resource-timeout',
        'longest wait for a namespace, a volume or another object that is being deleted',
        usual.terminatingResourceTimeout,
      ),
    )
    .addOption(
      new Option(
        '--additional-items-ready-timeout <duration>',
        'longest wait for what an action restores before its item; the resource timeout when absent',
      ).argParser((text: string) =>
        durationMs('--additional-items-ready-timeout', text, '10m0s') === 0 ? undefined : text,
      ),
    )
    .option(
      '--default-resource-modifier-configmap <name>',
      'ConfigMap with changes to objects of every restore that names none of its own',
    )
    .option(
      '--owner-ref-configmap <name>',
      'ConfigMap that says which owner references are put back by every restore that names none of its own',
    );
}

/** @throws RESTORE_PRIORITIES_INVALID */
function priorities(text: string): readonly string[] {
  const list = listedPriorities(text);
  parsePriorities(list);
  return list;
}

export const restoreSettings = (flags: OptionValues): RestoreSettings => ({
  concurrentRestores: flags.concurrentRestores,
  parallel: flags.restoreParallel,
  priorities: flags.restoreResourcePriorities,
  defaultItemOperationTimeout: flags.defaultItemOperationTimeout,
  resourceTimeout: flags.resourceTimeout,
  terminatingResourceTimeout: flags.terminatingResourceTimeout,
  additionalItemsReadyTimeout: flags.additionalItemsReadyTimeout || undefined,
  defaultResourceModifier: flags.defaultResourceModifierConfigmap || undefined,
  ownerRefConfigMap: flags.ownerRefConfigmap || undefined,
});
