import { shown } from './shown.ts';

/** No file of a secret is there, and some of what is has no end (`/dev/zero`) or is the process's own. */
const systemTrees = ['/proc', '/sys', '/dev'];

/** Where Kubernetes puts the token with which this pod speaks to the API server; `/var/run` is a link to `/run`. */
const apiTokenTrees = ['/var/run/secrets/kubernetes.io', '/run/secrets/kubernetes.io'];

/**
 * Why a text is no path in our pods that a location may name, to follow its name in a message; undefined when it is one.
 * @param mayBeApiToken only for tokens that are sent only to the cloud provider itself
 */
export function wrongPodPath(path: string, { mayBeApiToken = false } = {}): string | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const isPlain = path.startsWith('/') && !parts.some((part) => part === '.' || part === '..');
  if (!isPlain || /\p{Cc}/u.test(path)) return `${shown(path)} is not an absolute path without "." and ".."`;
  const forbidden = [...systemTrees, ...(mayBeApiToken ? [] : apiTokenTrees)];
  const tree = forbidden.find((each) => `/${parts.join('/')}/`.startsWith(`${each}/`));
  return tree === undefined ? undefined : `${shown(path)} is in ${tree}, which no location may name`;
}
