export { type Associated, deleteLocation, findAssociated } from './delete-locations.ts';
export { findLocations, locationNotFound, locationNoun } from './find-locations.ts';
export { parseLocationName } from './location-name.ts';
export { checkDefaultCanMove, makeDefault, makeDefaultLimits } from './make-default.ts';
export { providerNames } from './provider-names.ts';
export { isAnswered, validationRequest } from './request-validation.ts';
