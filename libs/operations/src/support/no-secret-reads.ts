import { secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import type { KubeApi, ResourceType } from '@lateen/kube';

/**
 * Wraps the API so that Secrets cannot be read: their values never reach this process, even when a library tries to read them.
 * @throws AppError SECRET_NOT_READ from calls that would read a Secret
 */
export function withoutSecretReads<K extends KubeApi>(kube: K): K {
  const guarded: ReadonlySet<string | symbol> = new Set(['get', 'list', 'watch', 'create', 'update', 'patch']);
  return new Proxy(kube, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        if (guarded.has(name) && isSecret(args[0])) throw notRead();
        return (value as (...given: unknown[]) => unknown).apply(target, args);
      };
    },
  });
}

const isSecret = (type: unknown): boolean => {
  const { group, resource } = (type ?? {}) as Partial<ResourceType>;
  return group === secretType.group && resource === secretType.resource;
};

const notRead = (): AppError => new AppError('SECRET_NOT_READ', 'Secrets are not read for a support bundle');
