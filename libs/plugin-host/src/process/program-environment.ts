/** Which of the server's environment variables a plugin program gets. */
export interface EnvironmentOptions {
  /** The server's environment. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Namespace of the installation. */
  veleroNamespace: string;
  /** Pass on the variables that refer to cloud credentials. */
  passCredentials?: boolean;
  /** Further variables to pass on, by name. */
  passVariables?: readonly string[];
}

/**
 * Without these variables programs do not run, do not find the API server, or do not get through the proxy. The only secret they may contain is a
 * password in the address of a proxy, which every client of the proxy needs.
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

/** As `velero install` sets them (files of the Secret cloud-credentials), and those by which clouds give a pod an identity. */
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

/** Pure; a variable that the server does not have is not set. The handshake adds its own variables and the folder for temporary files. */
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
