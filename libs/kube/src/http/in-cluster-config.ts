import { AppError } from '@lateen/errors';

/** Where a pod finds its API server and who it is there. Files are named, not read: they rotate. */
export interface InClusterConfig {
  host: string;
  port: number;
  caFile: string;
  tokenFile: string;
  /** The pod's own namespace. */
  namespace: string;
}

/** Where kubelet mounts the service account, unless LATEEN_SERVICE_ACCOUNT names another directory. */
const mountedDirectory = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The files that kubelet mounts for a service account. */
const serviceAccountFiles = (directory: string) => ({
  ca: `${directory}/ca.crt`,
  token: `${directory}/token`,
  namespace: `${directory}/namespace`,
});

/**
 * The configuration that Kubernetes gives to every pod: `KUBERNETES_SERVICE_HOST` and `_PORT`, and the mounted
 * service account. `env` and `readFile` are the caller's, so nothing here touches the process.
 * @throws KUBE_NOT_IN_CLUSTER when this is no pod, or one without a mounted service account token
 */
export async function inClusterConfig(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => Promise<string>,
): Promise<InClusterConfig> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = env;
  if (host === undefined || host === '' || port === undefined || !/^\d{1,5}$/.test(port)) {
    throw notInCluster('KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set');
  }
  const files = serviceAccountFiles(env.LATEEN_SERVICE_ACCOUNT || mountedDirectory);
  const namespace = await readFile(files.namespace).catch((cause: unknown) => {
    throw notInCluster(`${files.namespace} cannot be read`, cause);
  });
  return {
    host,
    port: Number(port),
    caFile: files.ca,
    tokenFile: files.token,
    namespace: namespace.trim(),
  };
}

function notInCluster(what: string, cause?: unknown): AppError {
  return new AppError('KUBE_NOT_IN_CLUSTER', `this process does not run in a pod with a service account: ${what}`, {
    cause,
    nextStep: 'Run it in a pod with automountServiceAccountToken, or name a kubeconfig file',
  });
}
