/** What a plugin program is given of the server's environment. */
export interface EnvironmentOptions {
  /** Of the server. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Namespace of the installation. */
  veleroNamespace: string;
  /** Hand on the variables that point at the credentials of clouds. */
  passCredentials?: boolean;
  /** Further variables, by name. */
  passVariables?: readonly string[];
}

/**
 * Without them programs do not run, find the API server, or get through the proxy of the site. Nothing in them is secret but a password that
 * somebody wrote into the address of a proxy, which whoever connects through it needs.
 */
const plainNames = [
  'PATH',
  'HOME',
  'LD_LIBRARY_PATH',
  'TZ',
  'VELERO_SCRATCH_DIR',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

/** As `velero install` sets them (files of the Secret cloud-credentials), and those by which clouds give an identity to a pod. */
const credentialNames = [
  'AWS_SHARED_CREDENTIALS_FILE',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'AZURE_CREDENTIALS_FILE',
  'ALIBABA_CLOUD_CREDENTIALS_FILE',
  'AWS_ROLE_ARN',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_REGION',
  'AZURE_CLIENT_ID',
  'AZURE_TENANT_ID',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_AUTHORITY_HOST',
];

/** Pure; what the server does not have, a program does not get. The handshake adds its own, and the folder for temporary files. */
export function programEnvironment({
  environment,
  veleroNamespace,
  passCredentials = false,
  passVariables = [],
}: EnvironmentOptions): Readonly<Record<string, string>> {
  const names = [...plainNames, ...(passCredentials ? credentialNames : []), ...passVariables];
  const entries = names.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(entries), VELERO_NAMESPACE: veleroNamespace };
}
