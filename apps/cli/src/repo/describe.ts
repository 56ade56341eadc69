import { type BackupRepository, eventType, jobType } from '@lateen/api-types';
import type { KubeApi } from '@lateen/kube';
import { maintenanceJobLabels } from '@lateen/maintenance';
import { listOrNone } from '@lateen/operations/noun';
import { findRepositories, repositorySelection } from '@lateen/operations/repository';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedArgument } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { type DescribedRepository, describeRepository } from './describe-repository.ts';

const examples = `
Examples:
  lateen repo describe shop-default-kopia
  lateen repo describe
  lateen repo describe -l velero.io/storage-location=offsite`;

/** `lateen repo describe [NAME…]` */
export function repoDescribeCommand(context: CommandContext): Command {
  return new Command('describe')
    .description('Describe backup repositories: state, maintenance, Jobs, Events')
    .addArgument(completedArgument('[name...]', 'names (default: all)', repositoryNames))
    .option('-l, --selector <labels>', 'only those with these labels')
    .addHelpText('after', examples)
    .action(async (names: string[], flags: { selector?: string }, command: Command) => {
      const { namespace, ...global } = command.optsWithGlobals<GlobalOptions>();
      const selection = repositorySelection(names, flags);
      const kube = await context.connect({ namespace, ...global });
      const found = await findRepositories(kube, namespace, selection, context.signal);
      const described = await Promise.all(found.map((each) => gather(kube, each, context.signal)));
      const pages = described.map((each) => `${describeRepository(each, context.clock.now()).join('\n')}\n`);
      context.stdout.write(pages.length === 0 ? 'There are no backup repositories.\n' : pages.join('\n\n'));
    });
}

async function gather(kube: KubeApi, repository: BackupRepository, signal: AbortSignal): Promise<DescribedRepository> {
  const { name = '', namespace } = repository.metadata;
  const labelSelector = Object.entries(maintenanceJobLabels(name))
    .map(([label, value]) => `${label}=${value}`)
    .join(',');
  const fieldSelector = `involvedObject.name=${name},involvedObject.kind=${repository.kind}`;
  const [jobs, events] = await Promise.all([
    listOrNone(kube, jobType, { namespace, labelSelector, signal }),
    listOrNone(kube, eventType, { namespace, fieldSelector, signal }),
  ]);
  return { repository, jobs, events };
}
