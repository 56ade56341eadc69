/** RFC 1123 subdomain: names of nearly all objects. */
const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const subdomainCharsMax = 253;

/** RFC 1123 label. */
const label = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const dataKey = /^[-._A-Za-z0-9]{1,253}$/;

/** Whether an object can have this name, as the API server checks it for Secrets, Pods and every kind of velero.io. */
export const isObjectName = (name: string): boolean => name.length <= subdomainCharsMax && subdomain.test(name);

/** Whether a namespace can have this name. */
export const isNamespaceName = (name: string): boolean => label.test(name);

/** Whether a Secret or ConfigMap can have this key. */
export const isDataKey = (key: string): boolean => dataKey.test(key) && key !== '.' && !key.startsWith('..');
