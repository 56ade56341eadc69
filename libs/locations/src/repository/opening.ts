import { type BackupRepository, repositoryCredentials } from '@lateen/api-types';
import { keyOf, keyText } from '@lateen/kube';
import type { Informer, WorkQueue } from '@lateen/kube-runtime';
import { SecretLooks } from '../secret-looks.ts';
import { engineOf, maintenanceFrequencyDefault } from './decide-repository.ts';
import { repositoryConfig } from './repository-config.ts';
import type { RepositoryLoopsOptions } from './repository-loops-options.ts';
import { RepositoryMemories } from './repository-memory.ts';
import { recheckMs } from './repository-pauses.ts';
import { RepositoryPresence } from './repository-presence.ts';
import { repositoryReconciler } from './repository-reconciler.ts';

/** No repository's key: those have a namespace. */
const passwordUser = 'the repository password';

/** Opens repositories, and checks the Secrets that this depends on; the checks run in parallel. */
export function openingReconciler(
  options: RepositoryLoopsOptions,
  repositories: Informer<BackupRepository>,
  queue: WorkQueue,
) {
  const { kube, namespace, locations, clock, random, log, tell = () => {} } = options;
  const memories = new RepositoryMemories();
  const presence = new RepositoryPresence(options);
  const looks = new SecretLooks({
    kube,
    clock,
    log,
    onChanged: (user) => {
      if (user === passwordUser) proveAll();
      else {
        memories.forgetTries(user);
        queue.add(user);
      }
    },
  });
  /** A changed password may have made all repositories unreadable; opening all of them at once would make all of them slow. */
  const proveAll = () => {
    for (const repository of repositories.list()) {
      const key = keyText(keyOf(repository));
      memories.of(key).unproven = true;
      queue.addAfter(key, recheckMs * random.next());
    }
  };
  looks.use(passwordUser, [{ namespace, name: repositoryCredentials.name }]);
  const config = { kube, namespace, configMapName: options.repositoryConfigMap, log };
  const reconciler = repositoryReconciler({
    kube,
    getRepository: repositories.get,
    getLocation: locations.get,
    openRepository: options.openRepository,
    look: async (repository, location, { sinceMs, signal }) => {
      const engine = engineOf(repository);
      const { volumeNamespace } = repository.spec;
      return engine === undefined
        ? { found: 'unknown' }
        : presence.look(location, { engine, volumeNamespace, sinceMs }, signal);
    },
    maintenanceFrequency: options.maintenanceFrequency ?? maintenanceFrequencyDefault,
    repositoryConfig: (type, signal) => repositoryConfig(config, type, signal),
    memories,
    looks,
    tell,
    clock,
    random,
    log,
  });
  return { ...reconciler, looks };
}
