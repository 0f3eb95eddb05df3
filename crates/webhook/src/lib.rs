//! The webhook adapter: signing and sending deliveries
