import {
  type BackupRepository,
  backupStorageLocationType,
  type KubeObject,
  repositoryCredentials,
} from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, listAll } from '@lateen/kube';
import {
  changeAll,
  changeSecret,
  checkNewPassword,
  explainRights,
  findRepositories,
  knownPasswords,
  mayChange,
  nextPasswordKey,
  readPasswordSecret,
  repositoriesOf,
  runningJobs,
  runTask,
  type TaskPorts,
  turnedRound,
  whenIdle,
  withNext,
} from '@lateen/operations/repository';
import { hasEnded, movementKinds } from '@lateen/operations/volume';
import { Command } from 'commander';
import type { CommandContext, GlobalOptions } from '../command-context.ts';
import { completedOption } from '../completion/completion.ts';
import { repositoryNames } from '../completion/object-names.ts';
import { askToConfirm } from '../confirm.ts';
import { askNewPassword, readPasswordFile } from './ask-password.ts';
import { taskPorts } from './task-ports.ts';
import { taskView } from './task-view.ts';

interface Flags {
  passwordFile?: string;
  skip?: string[];
  undo?: boolean;
  confirm?: boolean;
}

const examples = `
Examples:
  lateen repo change-password
  lateen repo change-password --password-file new-password.txt --confirm
  lateen repo change-password --undo

All repositories of an installation share the password in Secret ${repositoryCredentials.name}. The new one is put beside it
under ${nextPasswordKey}, then each repository gets it, and at the end it becomes the one in use; the old one stays
in the Secret under a key with the date. An interrupted change continues when the command is run again; --undo reverts it.
Nothing may be uploaded, downloaded or maintained meanwhile. Keep a copy of the password outside the cluster.`;

/** `lateen repo change-password` */
export function repoChangePasswordCommand(context: CommandContext): Command {
  return new Command('change-password')
    .description('Give all backup repositories of the installation a new password')
    .option('--password-file <file>', 'read the new password from the first line of a file (default: ask for it)')
    .addOption(
      completedOption(
        '--skip <name>',
        'leave this repository with the password that it has; may be repeated',
        repositoryNames,
      ).argParser(collect),
    )
    .option('--undo', 'revert an interrupted change to the previous password')
    .option('--confirm', 'do not ask')
    .addHelpText('after', examples)
    .action(async (flags: Flags, command: Command) => {
      const { namespace, ...global } = command.optsWithGlobals<GlobalOptions>();
      const ports = await taskPorts(context, { namespace, ...global });
      try {
        await changePassword(context, ports, namespace, flags);
      } catch (error) {
        throw explainRights(error, namespace);
      }
    });
}

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

async function changePassword(
  context: CommandContext,
  ports: TaskPorts,
  namespace: string,
  flags: Flags,
): Promise<void> {
  const { signal, stdout, stderr } = context;
  const known = knownPasswords(await readPasswordSecret(ports, namespace, signal));
  const skip = await namesOf(ports, namespace, flags.skip ?? [], signal);
  const repositories = await repositoriesOf(ports, namespace, skip, signal);
  mayChange({
    repositories,
    locations: (await listAll(ports.kube, backupStorageLocationType, { namespace, signal })).items,
    movements: await unfinishedMovements(ports, namespace, signal),
    jobs: await runningJobs(ports, namespace, signal),
    resumed: known.next !== undefined,
  });
  await begin(context, ports, { namespace, flags, known, repositories });
  const changed = await changeAll(ports, {
    namespace,
    skip,
    signal,
    changeOne: (repository, position) => changeOne(context, ports, repository, position),
    onDeleted: ({ metadata }) =>
      stderr.write(
        `${metadata.name} was deleted meanwhile: what it has stored opens with the old password or the new one.\n`,
      ),
  });
  stdout.write(`${changed.length} repositories have the new password, and it is the one in use now.\n`);
  stderr.write(
    `The old one is kept in Secret ${namespace}/${repositoryCredentials.name}: repositories that no BackupRepository names ` +
      'still open with it. Keep a copy of the new one outside the cluster.\n',
  );
}

/** A misspelled name in --skip must not lead to a change of the repository that was meant. @throws NO_SUCH_REPOSITORY */
async function namesOf(
  { kube }: TaskPorts,
  namespace: string,
  texts: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  if (texts.length === 0) return [];
  const found = await findRepositories(kube, namespace, { names: texts }, signal);
  return found.map(({ metadata }) => metadata.name ?? '');
}

interface Beginning {
  namespace: string;
  flags: Flags;
  known: { current: string; next: string | undefined };
  repositories: readonly BackupRepository[];
}

/** Afterwards the Secret contains the new password of the change. */
async function begin(
  context: CommandContext,
  ports: TaskPorts,
  { namespace, flags, known, repositories }: Beginning,
): Promise<void> {
  const { signal, stderr } = context;
  if (flags.undo === true) {
    if (known.next === undefined)
      throw new AppError('NOTHING_TO_UNDO', 'no change of the password is under way', {
        nextStep: 'To go back to an older password, change to it.',
      });
    await confirm(context, flags, `Give ${repositories.length} repositories the previous password again?`);
    return await changeSecret(ports, namespace, signal, turnedRound);
  }
  const given = flags.passwordFile === undefined ? undefined : await readPasswordFile(flags.passwordFile);
  if (known.next !== undefined) {
    if (given !== undefined && given !== known.next)
      throw new AppError('PASSWORD_CHANGE_UNFINISHED', 'a change to another password is under way', {
        nextStep: 'Finish it without --password-file, or revert it with --undo; then change the password again.',
      });
    stderr.write('Continuing a change that was interrupted.\n');
    return;
  }
  const password = checkNewPassword(given ?? (await askNewPassword(context.askSecret)), known.current);
  await confirm(
    context,
    flags,
    `Change the password of ${repositories.length} repositories? Other clusters that use them need the new one too.`,
  );
  await changeSecret(ports, namespace, signal, (secret) => {
    // Another user may have started a change while we asked.
    if (knownPasswords(secret).next === undefined) return withNext(secret, password);
    throw new AppError('PASSWORD_CHANGE_UNFINISHED', 'another change of the password has just begun');
  });
}

async function confirm(context: CommandContext, flags: Flags, question: string): Promise<void> {
  if (flags.confirm === true) return;
  const would = 'the password of all repositories would be changed';
  await askToConfirm(context, { question, would, undone: 'nothing was changed' });
}

/**
 * Never aborted by Ctrl-C: if the engine were killed while it writes the new key, no password might open the repository
 * afterwards. The Job takes seconds.
 */
async function changeOne(
  context: CommandContext,
  ports: TaskPorts,
  repository: BackupRepository,
  position: string,
): Promise<void> {
  const { name = '' } = repository.metadata;
  const view = taskView(context.stderr, context.clock, `${position}  ${name}`);
  const onAbort = () => view.onRemark('the repository in progress is finished first');
  context.signal.addEventListener('abort', onAbort, { once: true });
  const task = { operation: 'change-password', newPasswordKey: nextPasswordKey } as const;
  try {
    view.onProgress({ doing: 'changing the password', done: 0, unit: 'items' });
    // The hourly maintenance of this repository may just have started: wait until it has ended.
    const idle = { namespace: repository.metadata.namespace ?? '', onWait: view.onWait, signal: context.signal };
    await whenIdle(ports, idle, () => runTask(ports, repository, task, view, new AbortController().signal));
  } finally {
    context.signal.removeEventListener('abort', onAbort);
    view.end();
  }
}

async function unfinishedMovements({ kube }: TaskPorts, namespace: string, signal: AbortSignal): Promise<KubeObject[]> {
  const lists = await Promise.all(
    movementKinds.map(({ type }) =>
      listAll(kube, type, { namespace, signal }).catch((error) => {
        // An installation need not have every kind of resource.
        if (isNotFound(error)) return { items: [] };
        throw error;
      }),
    ),
  );
  return lists.flatMap(({ items }) => items).filter((movement) => !hasEnded(movement));
}
