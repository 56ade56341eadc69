export { createAuthority, createSigningKey, issue, type KeyPair, type LeafRequest } from './authority.ts';
