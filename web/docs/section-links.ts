/** The list of sections: highlights the current section, and collapses on narrow screens when a section is chosen. */

/** A section is current once its heading is above this distance from the top of the viewport, in pixels. */
const CURRENT_BELOW = 120

export function trackSections(): void {
  const list = document.querySelector('.side ul')
  const toggle = document.querySelector<HTMLInputElement>('.side input')
  if (!list || !toggle) return
  list.addEventListener('click', () => {
    toggle.checked = false
  })
  let scheduled = false
  const highlight = () => {
    scheduled = false
    let current: HTMLAnchorElement | undefined
    for (const link of list.querySelectorAll('a')) {
      const target = document.getElementById(link.hash.slice(1))
      if (target && target.getBoundingClientRect().top < CURRENT_BELOW) current = link
      link.removeAttribute('aria-current')
    }
    if (!current) return
    current.setAttribute('aria-current', 'location')
    const { top, bottom } = current.getBoundingClientRect()
    if (top < 0 || bottom > innerHeight) current.scrollIntoView({ block: 'nearest' })
  }
  addEventListener(
    'scroll',
    () => {
      if (!scheduled) requestAnimationFrame(highlight)
      scheduled = true
    },
    { passive: true },
  )
  highlight()
}
