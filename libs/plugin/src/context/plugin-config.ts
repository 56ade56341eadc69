import { type Secret, secretType } from '@lateen/api-types';
import { AppError } from '@lateen/errors';
import { isNotFound, type KubeApi } from '@lateen/kube';

/** What users tell an action, in its ConfigMap. */
export interface PluginConfig {
  /** Empty when there is no ConfigMap. */
  readonly data: Readonly<Record<string, string>>;
  /** The value of an entry that must be there. @throws PLUGIN_CONFIG_MISSING, which says what to write where */
  required(key: string): string;
  /**
   * The content of a Secret that the entry names: `<Secret>/<key>`, or `<Secret>` when it has one key. It is read again each time, for
   * secrets change. Never log it.
   * @throws PLUGIN_CONFIG_MISSING, PLUGIN_SECRET_MISSING
   */
  secret(key: string): Promise<string>;
}

export interface ConfigPlace {
  kube: KubeApi;
  /** Of the server. */
  namespace: string;
  action: string;
  /** The value of the label, for the message. */
  kind: string;
  signal: AbortSignal;
}

/** The entries of a ConfigMap, with what can be asked of them. */
export function pluginConfig(data: Readonly<Record<string, string>>, place: ConfigPlace): PluginConfig {
  const required = (key: string): string => {
    const value = data[key];
    if (value !== undefined && value !== '') return value;
    throw new AppError('PLUGIN_CONFIG_MISSING', `the configuration of ${place.action} has no entry ${key}`, {
      nextStep:
        `Set it in a ConfigMap of namespace ${place.namespace} with the labels velero.io/plugin-config="" and ` +
        `${place.action}=${place.kind}.`,
    });
  };
  return { data, required, secret: async (key) => contentOf(required(key), place) };
}

async function contentOf(reference: string, { kube, namespace, signal }: ConfigPlace): Promise<string> {
  const [name = '', key] = reference.split('/', 2);
  const secret = await kube.get<Secret>(secretType, { namespace, name }, { signal }).catch((cause: unknown) => {
    if (!isNotFound(cause)) throw cause;
    throw missing(`there is no Secret ${name} in namespace ${namespace}`);
  });
  const keys = Object.keys(secret.data ?? {});
  const chosen = key ?? (keys.length === 1 ? keys[0] : undefined);
  if (chosen === undefined)
    throw missing(`Secret ${name} has ${keys.length} keys (${keys.join(', ')}), and none is named`);
  const encoded = secret.data?.[chosen];
  if (encoded === undefined) throw missing(`Secret ${name} has no key ${chosen}, it has ${keys.join(', ') || 'none'}`);
  return Buffer.from(encoded, 'base64').toString();
}

const missing = (message: string): AppError =>
  new AppError('PLUGIN_SECRET_MISSING', message, {
    retry: 'later',
    nextStep: 'The entry of the ConfigMap says <Secret>/<key>; the Secret is in the namespace of the server.',
  });
