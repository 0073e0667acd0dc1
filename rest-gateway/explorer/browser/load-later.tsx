/** Components whose code is loaded when they are shown first. */
import { type ComponentType, lazy } from 'react'

const Failure = () => (
  <p className="empty" role="alert">
    This part of the page could not be loaded. Reload the page to try again.
  </p>
)

/** Returns a component for a `Suspense`. If its code cannot be loaded, for example after an update, it says so. */
export const loadLater = <Properties,>(load: () => Promise<ComponentType<Properties>>) =>
  lazy<ComponentType<Properties>>(() =>
    load().then(
      component => ({ default: component }),
      () => ({ default: Failure }),
    ),
  )
